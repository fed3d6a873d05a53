/** The built-ins that search and patch nested documents. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.structure;

import org.jspecify.annotations.NullMarked;
