/**
 * Client side of The Update Framework, limited to the features that Sigstore's public trust root needs. {@link
 * io.portcullis.artifacts.tuf.TufTrustRoot} is the entry point. Supports no delegations and one target.
 */
@NullMarked
package io.portcullis.artifacts.tuf;

import org.jspecify.annotations.NullMarked;
