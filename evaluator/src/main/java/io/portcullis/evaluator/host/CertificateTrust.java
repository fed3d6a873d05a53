package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.Certificate;
import io.portcullis.evaluator.host.HostRequest.TrustQuestion;
import io.portcullis.wasm.Deadline;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Builds certificate paths with the JDK's PKIX implementation. Uses the roots of the Java runtime if the policy gives
 * no chain. Does not check revocation, accepts any extended key usage, and ignores the validity period of roots.
 */
public final class CertificateTrust {

    /** The result of a check; the reason is empty if the certificate is trusted. */
    public record Trust(boolean trusted, String reason) {}

    private static final String PEM_BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String PEM_END = "-----END CERTIFICATE-----";

    private final InstantSource clock;
    private final Set<TrustAnchor> publicRoots;

    public CertificateTrust(InstantSource clock) {
        this.clock = clock;
        this.publicRoots = publicRoots();
    }

    /**
     * Checks whether a certificate is trusted. Computes only, without I/O, and not longer than the deadline.
     *
     * @throws io.portcullis.wasm.DeadlineExceededException if the search for a path takes too long
     */
    public Trust check(TrustQuestion question, Deadline deadline) {
        var leaf = parse(question.cert());
        if (leaf.getVersion() != 3) {
            throw new HostCallException("Certificate is not a valid end-entity certificate: UnsupportedCertVersion");
        }
        var at = time(question.notAfter());
        if (leaf.getBasicConstraints() >= 0) {
            return new Trust(false, "Certificate not trusted: CaUsedAsEndEntity");
        }
        var chain = Optional.ofNullable(question.certChain())
                .map(list -> list.stream().map(CertificateTrust::parse).toList());
        var intermediates = chain.filter(list -> !list.isEmpty())
                .map(list -> list.subList(0, list.size() - 1))
                .orElse(List.of());
        var roots = chain.map(CertificateTrust::anchors).orElse(publicRoots);
        return verdict(leaf, intermediates, roots, at, deadline);
    }

    private static Set<TrustAnchor> anchors(List<X509Certificate> chain) {
        return chain.isEmpty() ? Set.of() : Set.of(new TrustAnchor(chain.getLast(), null));
    }

    private static Trust verdict(
            X509Certificate leaf,
            List<X509Certificate> intermediates,
            Set<TrustAnchor> roots,
            Instant at,
            Deadline deadline) {
        if (roots.isEmpty()) {
            return untrusted(leaf, intermediates, at);
        }
        try {
            var target = new X509CertSelector();
            target.setCertificate(leaf);
            var parameters = new PKIXBuilderParameters(roots, target);
            var certificates = new ArrayList<>(intermediates);
            certificates.add(leaf);
            parameters.addCertStore(
                    CertStore.getInstance("Collection", new CollectionCertStoreParameters(certificates)));
            parameters.setRevocationEnabled(false);
            parameters.addCertPathChecker(new DeadlineCertPathChecker(deadline));
            parameters.setDate(Date.from(at));
            CertPathBuilder.getInstance("PKIX").build(parameters);
            return new Trust(true, "");
        } catch (CertPathBuilderException e) {
            return untrusted(leaf, intermediates, at);
        } catch (GeneralSecurityException e) {
            return new Trust(false, "Certificate not trusted: " + e.getMessage());
        }
    }

    /**
     * Returns why there is no path: a certificate is outside its validity period, or the chain does not lead to a root.
     */
    private static Trust untrusted(X509Certificate leaf, List<X509Certificate> intermediates, Instant at) {
        var all = new ArrayList<X509Certificate>();
        all.add(leaf);
        all.addAll(intermediates);
        for (var certificate : all) {
            if (at.isAfter(certificate.getNotAfter().toInstant())) {
                return new Trust(false, "Certificate is being used after its expiration date");
            }
            if (at.isBefore(certificate.getNotBefore().toInstant())) {
                return new Trust(false, "Certificate is being used before its validity date");
            }
        }
        return new Trust(false, "Certificate is not trusted by the provided cert chain");
    }

    private Instant time(@Nullable String notAfter) {
        if (notAfter == null || notAfter.isEmpty()) {
            return clock.instant();
        }
        try {
            return OffsetDateTime.parse(notAfter).toInstant();
        } catch (DateTimeException e) {
            throw new HostCallException("Timestamp not_after is not in RFC3339 format", e);
        }
    }

    private static X509Certificate parse(Certificate certificate) {
        var bytes = certificate.bytes();
        return switch (certificate.encoding()) {
            case Der -> parse(bytes, "Certificate is not a valid end-entity certificate: ");
            case Pem -> {
                var text = new String(bytes, StandardCharsets.ISO_8859_1);
                int begin = text.indexOf(PEM_BEGIN);
                int end = begin < 0 ? -1 : text.indexOf(PEM_END, begin + PEM_BEGIN.length());
                if (end < 0) {
                    throw new HostCallException("Certificate PEM data is not valid: no certificate found");
                }
                var block = text.substring(begin, end + PEM_END.length());
                yield parse(block.getBytes(StandardCharsets.ISO_8859_1), "Certificate PEM data is not valid: ");
            }
        };
    }

    private static X509Certificate parse(byte[] bytes, String problem) {
        try {
            var factory = CertificateFactory.getInstance("X.509");
            return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes));
        } catch (CertificateException e) {
            throw new HostCallException(problem + e.getMessage(), e);
        }
    }

    private static Set<TrustAnchor> publicRoots() {
        try {
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .map(X509TrustManager.class::cast)
                    .flatMap(manager -> Arrays.stream(manager.getAcceptedIssuers()))
                    .map(root -> new TrustAnchor(root, null))
                    .collect(Collectors.toUnmodifiableSet());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the roots of the Java runtime cannot be read", e);
        }
    }
}
