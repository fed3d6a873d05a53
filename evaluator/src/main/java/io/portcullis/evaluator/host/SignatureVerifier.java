package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;

/** Checks the Sigstore signatures of images. */
@FunctionalInterface
public interface SignatureVerifier {

    /**
     * @return the digest of the verified manifest
     * @throws HostCallException if a required signature is missing; the method never returns "not trusted" as a
     *     value
     */
    String verify(HostRequest.Verify request, Deadline deadline);
}
