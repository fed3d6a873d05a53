package io.portcullis.controller.certificates.plan;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** The content of a Secret that should hold a certificate and its key. */
public sealed interface StoredCertificate {

    record Missing() implements StoredCertificate {}

    /** Unusable; the certificate alone may still be readable. */
    record Broken(String problem, Optional<X509Certificate> certificate) implements StoredCertificate {}

    /** A certificate, possibly with intermediates, and its matching key. */
    record Sound(List<X509Certificate> chain) implements StoredCertificate {

        public Sound {
            chain = List.copyOf(chain);
        }

        X509Certificate certificate() {
            return chain.getFirst();
        }
    }
}
