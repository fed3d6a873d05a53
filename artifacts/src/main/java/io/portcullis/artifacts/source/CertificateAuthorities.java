package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads X.509 certificates from PEM (one or many) or DER. Detects the encoding. */
public final class CertificateAuthorities {

    private CertificateAuthorities() {}

    public static List<X509Certificate> parse(byte[] pemOrDer) {
        try {
            var certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pemOrDer));
            if (!certificates.isEmpty()) {
                return certificates.stream().map(X509Certificate.class::cast).toList();
            }
        } catch (CertificateException e) {
            throw invalidEncoding(e);
        }
        throw invalidEncoding(null);
    }

    private static ArtifactException invalidEncoding(@Nullable CertificateException cause) {
        return new ArtifactException(
                Reason.INVALID_REFERENCE, "Raw certificate is not in PEM nor in DER encoding", cause);
    }
}
