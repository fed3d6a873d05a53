/** The built-ins for certificates, certificate chains, certificate requests and private keys. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.x509;

import org.jspecify.annotations.NullMarked;
