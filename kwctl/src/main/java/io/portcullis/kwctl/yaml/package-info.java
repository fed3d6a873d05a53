/** Writes YAML from JSON trees. {@link io.portcullis.kwctl.yaml.YamlText} reproduces the block style of the original kwctl. */
@NullMarked
package io.portcullis.kwctl.yaml;

import org.jspecify.annotations.NullMarked;
