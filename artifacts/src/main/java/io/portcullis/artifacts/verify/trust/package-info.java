/**
 * What a verification trusts: public keys, certificate chains, and the trust root of a Sigstore instance, which {@link
 * io.portcullis.artifacts.verify.trust.TrustRootSource} supplies.
 */
@NullMarked
package io.portcullis.artifacts.verify.trust;

import org.jspecify.annotations.NullMarked;
