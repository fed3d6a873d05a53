/** The built-ins for hashes and message authentication codes. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.crypto;

import org.jspecify.annotations.NullMarked;
