package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.TrustQuestion;

/** Judges whether a certificate is trusted. Computes only; never waits. */
@FunctionalInterface
public interface CertificateTrust {

    Trust judge(TrustQuestion question);

    /** The reason is empty when trusted. */
    record Trust(boolean trusted, String reason) {}
}
