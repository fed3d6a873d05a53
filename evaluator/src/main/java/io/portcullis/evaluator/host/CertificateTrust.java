package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.TrustQuestion;
import io.portcullis.wasm.Deadline;

/** Checks whether a certificate is trusted. Computes only, without I/O, and not longer than the deadline. */
@FunctionalInterface
public interface CertificateTrust {

    /** @throws io.portcullis.wasm.DeadlineExceededException if the search for a path takes too long */
    Trust check(TrustQuestion question, Deadline deadline);

    /** The result; the reason is empty if the certificate is trusted. */
    record Trust(boolean trusted, String reason) {}
}
