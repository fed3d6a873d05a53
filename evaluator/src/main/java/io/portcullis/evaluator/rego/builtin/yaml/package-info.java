/** The built-ins that read and write YAML as OPA does. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.yaml;

import org.jspecify.annotations.NullMarked;
