/** The built-ins that decode, verify and sign JSON Web Tokens. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.jwt;

import org.jspecify.annotations.NullMarked;
