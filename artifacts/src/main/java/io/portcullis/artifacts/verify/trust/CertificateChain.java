package io.portcullis.artifacts.verify.trust;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Builds a certificate path to a trust anchor at a given time. */
public final class CertificateChain {

    private CertificateChain() {}

    /**
     * @return the issuer of the certificate
     * @throws GeneralSecurityException if no path is valid at that time
     */
    public static X509Certificate issuer(
            X509Certificate certificate, Set<X509Certificate> anchors, Collection<X509Certificate> others, Instant at)
            throws GeneralSecurityException {
        var target = new X509CertSelector();
        target.setCertificate(certificate);
        var trusted =
                anchors.stream().map(anchor -> new TrustAnchor(anchor, null)).collect(Collectors.toSet());
        var parameters = new PKIXBuilderParameters(trusted, target);
        var intermediates = new ArrayList<>(others);
        intermediates.add(certificate);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(intermediates)));
        parameters.setDate(Date.from(at));
        // Short-lived certificates and the internal CA publish no revocations.
        parameters.setRevocationEnabled(false);
        var result =
                (PKIXCertPathBuilderResult) CertPathBuilder.getInstance("PKIX").build(parameters);
        List<? extends Certificate> path = result.getCertPath().getCertificates();
        return path.size() > 1
                ? (X509Certificate) path.get(1)
                : result.getTrustAnchor().getTrustedCert();
    }
}
