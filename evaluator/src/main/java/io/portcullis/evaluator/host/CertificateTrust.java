package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.TrustQuestion;
import io.portcullis.wasm.Deadline;

/** Judges whether a certificate is trusted. Computes only, and no longer than the deadline. */
@FunctionalInterface
public interface CertificateTrust {

    /** @throws io.portcullis.wasm.DeadlineExceededException when the search for a path takes too long */
    Trust judge(TrustQuestion question, Deadline deadline);

    /** The reason is empty when trusted. */
    record Trust(boolean trusted, String reason) {}
}
