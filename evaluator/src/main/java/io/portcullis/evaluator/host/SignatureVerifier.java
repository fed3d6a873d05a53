package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;

/** Checks the Sigstore signatures of images. */
@FunctionalInterface
public interface SignatureVerifier {

    /**
     * @return the digest of the verified manifest
     * @throws HostCallException when a demanded signature is missing; "not trusted" is never a value
     */
    String verify(HostRequest.Verify request, Deadline deadline);
}
