/** The built-ins for JSON, base64, hexadecimal and URL encodings. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.encoding;

import org.jspecify.annotations.NullMarked;
