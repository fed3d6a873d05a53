/**
 * The signatures of an image as cosign and Sigstore store them. {@link
 * io.portcullis.artifacts.verify.signature.SignatureFinder} reads every format into a {@link
 * io.portcullis.artifacts.verify.signature.Candidate}, and nothing in a candidate is verified yet.
 */
@NullMarked
package io.portcullis.artifacts.verify.signature;

import org.jspecify.annotations.NullMarked;
