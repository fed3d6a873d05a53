/** Reads YAML 1.2 as JSON trees. All programs use this reader for files that users write. */
@NullMarked
package io.portcullis.api.yaml;

import org.jspecify.annotations.NullMarked;
