package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.host.DeadlineCertPathChecker;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Verifies a certificate chain. The root comes first and the leaf last; the certificates between them are optional
 * intermediates. The JDK finds and verifies paths; this class checks the additional requirements of Go.
 */
final class X509Chain {

    private static final int ANY_USAGE = 0;
    private static final int SERVER_AUTHENTICATION = 1;
    private static final String NAME_CONSTRAINTS = "2.5.29.30";

    /** @param usages Go's numbers of extended key usages; the chain must allow at least one */
    record Options(String hostname, Instant time, Set<Integer> usages) {

        static Options atTime(Instant time) {
            return new Options("", time, Set.of(SERVER_AUTHENTICATION));
        }
    }

    private X509Chain() {}

    /** Returns the chain from the leaf to the root; empty if there is no valid chain. */
    static Optional<List<ParsedCertificate>> verify(
            List<ParsedCertificate> certificates, Options options, EvaluationScope scope) {
        if (certificates.size() < 2) {
            return Optional.empty();
        }
        return path(certificates, options, scope)
                .filter(chain -> chain.stream().allMatch(one -> isUsable(one, options.time))
                        && isAuthority(chain)
                        && allows(chain, options.usages)
                        && (options.hostname.isEmpty() || HostnameMatch.matches(chain.getFirst(), options.hostname)));
    }

    private static Optional<List<ParsedCertificate>> path(
            List<ParsedCertificate> certificates, Options options, EvaluationScope scope) {
        var root = certificates.getFirst();
        var leaf = certificates.getLast();
        if (Arrays.equals(root.encoded(), leaf.encoded())) {
            return Optional.of(List.of(leaf));
        }
        try {
            var factory = CertificateFactory.getInstance("X.509");
            var all = new ArrayList<X509Certificate>();
            for (var certificate : certificates) {
                all.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(certificate.encoded())));
            }
            var target = new X509CertSelector();
            target.setCertificate(all.getLast());
            var parameters = new PKIXBuilderParameters(Set.of(anchor(all.getFirst())), target);
            parameters.setRevocationEnabled(false);
            parameters.addCertPathChecker(new DeadlineCertPathChecker(scope.deadline()));
            parameters.setDate(Date.from(options.time));
            parameters.addCertStore(
                    CertStore.getInstance("Collection", new CollectionCertStoreParameters(all.subList(1, all.size()))));
            var result = (PKIXCertPathBuilderResult)
                    CertPathBuilder.getInstance("PKIX").build(parameters);
            var chain = new ArrayList<ParsedCertificate>();
            result.getCertPath().getCertificates().forEach(one -> chain.add(certificates.get(all.indexOf(one))));
            chain.add(root);
            return Optional.of(chain);
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private static TrustAnchor anchor(X509Certificate root) {
        var constraints = root.getExtensionValue(NAME_CONSTRAINTS);
        return new TrustAnchor(
                root,
                constraints == null
                        ? null
                        : DerElement.only(constraints)
                                .expect(DerElement.OCTET_STRING)
                                .content());
    }

    private static boolean isUsable(ParsedCertificate certificate, Instant time) {
        return !time.isBefore(certificate.notBefore())
                && !time.isAfter(certificate.notAfter())
                && certificate.field("UnhandledCriticalExtensions") instanceof NullValue;
    }

    private static boolean isAuthority(List<ParsedCertificate> chain) {
        return chain.size() == 1
                || (chain.getLast().field("IsCA").equals(RegoValue.of(true))
                        && chain.subList(0, chain.size() - 1).stream().noneMatch(X509Chain::isForgeable));
    }

    private static boolean isForgeable(ParsedCertificate certificate) {
        return certificate.field("SignatureAlgorithm") instanceof RegoValue.NumberValue number
                && SignatureAlgorithms.isInsecure(number.value().intValue());
    }

    /** Returns whether every certificate allows one of the usages; a certificate without usages allows all. */
    private static boolean allows(List<ParsedCertificate> chain, Set<Integer> usages) {
        return usages.contains(ANY_USAGE)
                || usages.stream().anyMatch(usage -> chain.stream().allMatch(one -> allows(one, usage)));
    }

    private static boolean allows(ParsedCertificate certificate, int usage) {
        if (certificate.field("ExtKeyUsage") instanceof ArrayValue(var allowedUsages)) {
            return allowedUsages.contains(RegoValue.of(usage)) || allowedUsages.contains(RegoValue.of(ANY_USAGE));
        }
        return certificate.field("UnknownExtKeyUsage") instanceof NullValue;
    }
}
