/** YAML 1.2 as JSON trees: the one way in which all programs read what people write. */
@NullMarked
package io.portcullis.api.yaml;

import org.jspecify.annotations.NullMarked;
