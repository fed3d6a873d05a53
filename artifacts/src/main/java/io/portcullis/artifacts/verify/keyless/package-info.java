/**
 * Signatures with a certificate instead of a known key. {@link io.portcullis.artifacts.verify.keyless.Keyless} checks the
 * certificate, its transparency log ({@code CertificateTransparency}), the log entry of the signature ({@code
 * TransparencyLog}, {@code EntryBody}) and timestamps ({@code TimestampToken}), and returns the signer's identity.
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
 * <p>All cryptography comes from the JDK.
 */
@NullMarked
package io.portcullis.artifacts.verify.keyless;

import org.jspecify.annotations.NullMarked;
