/**
 * YAML in and out of JSON trees: {@link io.portcullis.kwctl.yaml.YamlDocuments} reads by the rules of YAML 1.2, {@link
 * io.portcullis.kwctl.yaml.YamlText} writes the block style that users of the original compare with.
 */
@NullMarked
package io.portcullis.kwctl.yaml;

import org.jspecify.annotations.NullMarked;
