/**
 * Verifies that an image is signed by signers that the operator trusts. {@link
 * io.portcullis.artifacts.verify.ImageVerifier} finds the signatures ({@code signature}) and checks them against a {@link
 * io.portcullis.artifacts.verify.VerificationConfig}. A constraint with a public key needs only the signature and the
 * payload. Every other constraint needs the checks of {@code keyless}, and a root of trust ({@code trust}).
 */
@NullMarked
package io.portcullis.artifacts.verify;

import org.jspecify.annotations.NullMarked;
