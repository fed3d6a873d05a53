/**
 * Verifies that an image is signed by signers that the operator trusts. {@link
 * io.portcullis.artifacts.verify.ImageVerifier} finds the signatures, in cosign's {@code .sig} tags and in Sigstore
 * bundles, and checks them against a {@link io.portcullis.artifacts.verify.VerificationConfig}.
 *
 * <p>A keyless signature is valid only if every link of this chain is valid:
 *
 * <pre>
 *   image digest ◄─ payload ◄─ signature ◄─ key of the certificate ─► identity and issuer
 *                      ▲           ▲             ▲        ▲
 *                      └───────────┴── log entry ┘        └── Fulcio's chain at the time of the entry, SCT
 *                                        ▲
 *                                        └── Rekor's promise or inclusion proof
 * </pre>
 *
 * <p>With a public key, only the first two links apply. All cryptography comes from the JDK.
 */
@NullMarked
package io.portcullis.artifacts.verify;

import org.jspecify.annotations.NullMarked;
