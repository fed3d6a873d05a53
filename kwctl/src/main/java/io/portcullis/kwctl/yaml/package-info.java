/** YAML out of JSON trees: {@link io.portcullis.kwctl.yaml.YamlText} writes the block style that users of the original compare with. */
@NullMarked
package io.portcullis.kwctl.yaml;

import org.jspecify.annotations.NullMarked;
