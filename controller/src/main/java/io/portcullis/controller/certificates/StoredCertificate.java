package io.portcullis.controller.certificates;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** What a Secret holds where a certificate and its key should be. */
sealed interface StoredCertificate {

    record Missing() implements StoredCertificate {}

    /** Not usable as it is; its certificate alone may still be readable. */
    record Broken(String problem, Optional<X509Certificate> certificate) implements StoredCertificate {}

    /** A certificate, perhaps with intermediates, and the key that belongs to it. */
    record Sound(List<X509Certificate> chain) implements StoredCertificate {

        public Sound {
            chain = List.copyOf(chain);
        }

        X509Certificate certificate() {
            return chain.getFirst();
        }
    }
}
