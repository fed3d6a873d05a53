/**
 * The Update Framework, client side, as much of it as Sigstore's public trust root needs: {@link
 * io.portcullis.artifacts.tuf.TufTrustRoot} is the entry. No delegations, one target.
 */
@NullMarked
package io.portcullis.artifacts.tuf;

import org.jspecify.annotations.NullMarked;
