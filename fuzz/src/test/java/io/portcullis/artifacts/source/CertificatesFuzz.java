package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;

/** Certificates in PEM or DER: an ArtifactException, or at least one certificate. */
public final class CertificatesFuzz {

    private CertificatesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            Inputs.check(!CertificateAuthorities.parse(input).isEmpty(), "there is a certificate");
        } catch (ArtifactException e) {
            Inputs.check(e.reason() == ArtifactException.Reason.INVALID_REFERENCE, "the input is at fault");
        }
    }
}
