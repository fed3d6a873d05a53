/**
 * Whether an image is signed by those whom the operator trusts. {@link io.portcullis.artifacts.verify.ImageVerifier}
 * finds the signatures, in cosign's {@code .sig} tags and in Sigstore bundles, and judges them by a {@link
 * io.portcullis.artifacts.verify.VerificationConfig}.
 *
 * <p>The chain that must hold, link by link, for a keyless signature:
 *
 * <pre>
 *   image digest ◄─ payload ◄─ signature ◄─ key of the certificate ─► identity and issuer
 *                      ▲           ▲             ▲        ▲
 *                      └───────────┴── log entry ┘        └── Fulcio's chain at the time of the entry, SCT
 *                                        ▲
 *                                        └── Rekor's promise or inclusion proof
 * </pre>
 *
 * <p>With a public key the first two links are all there is. Everything is done with the JDK's cryptography.
 */
@NullMarked
package io.portcullis.artifacts.verify;

import org.jspecify.annotations.NullMarked;
