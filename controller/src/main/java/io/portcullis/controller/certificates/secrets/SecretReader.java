package io.portcullis.controller.certificates.secrets;

import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.controller.certificates.plan.StoredCertificate;
import io.portcullis.process.tls.Identity;
import io.portcullis.process.tls.TlsException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads certificates from Secrets. */
public final class SecretReader {

    /** Annotation of a Secret that the user maintains; cert-manager has an annotation of its own. */
    static final String USER_PROVIDED = "kubewarden.io/brought-by-user";

    private static final String CERT_MANAGER = "cert-manager.io/certificate-name";

    /** Other forms count as broken, so that all pods that mount the Secret can rely on one form. */
    private static final String KEY_HEADER = "-----BEGIN EC PRIVATE KEY-----";

    private SecretReader() {}

    public static boolean isUserProvided(Optional<Secret> secret) {
        return secret.map(SecretReader::annotations)
                .filter(annotations ->
                        annotations.containsKey(CERT_MANAGER) || "true".equals(annotations.get(USER_PROVIDED)))
                .isPresent();
    }

    private static Map<String, String> annotations(Secret secret) {
        return Objects.requireNonNullElse(secret.getMetadata().getAnnotations(), Map.of());
    }

    public static Optional<String> annotation(Optional<Secret> secret, String name) {
        return secret.map(found -> annotations(found).get(name));
    }

    /** The text of a key; empty when there is none. */
    public static String text(Optional<Secret> secret, String key) {
        return secret.map(Secret::getData)
                .map(data -> data.get(key))
                .map(value -> new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8))
                .orElse("");
    }

    /** @param anyForm whether private keys of any form are accepted */
    public static StoredCertificate pair(
            Optional<Secret> secret, String certificateKey, String keyKey, boolean anyForm) {
        var certificatePem = text(secret, certificateKey);
        var keyPem = text(secret, keyKey);
        if (certificatePem.isBlank()) {
            return new StoredCertificate.Missing();
        }
        if (keyPem.isBlank()) {
            return broken("has no " + keyKey, certificatePem);
        }
        if (!anyForm && !keyPem.contains(KEY_HEADER)) {
            return broken("has a key that is not in SEC 1 form", certificatePem);
        }
        try {
            return new StoredCertificate.Sound(
                    Identity.parse("it", certificatePem, keyPem).chain());
        } catch (TlsException e) {
            return broken("cannot be used: " + e.getMessage(), certificatePem);
        }
    }

    /** A certificate without a key. */
    static StoredCertificate certificateOnly(Optional<Secret> secret, String certificateKey) {
        var pem = text(secret, certificateKey);
        if (pem.isBlank()) {
            return new StoredCertificate.Missing();
        }
        var certificates = certificates(pem);
        return certificates.isEmpty()
                ? new StoredCertificate.Broken("has no certificate in " + certificateKey, Optional.empty())
                : new StoredCertificate.Sound(certificates);
    }

    private static StoredCertificate broken(String problem, String certificatePem) {
        return new StoredCertificate.Broken(
                problem, certificates(certificatePem).stream().findFirst());
    }

    /** All certificates, or none as soon as one is unreadable. */
    public static List<X509Certificate> certificates(String pem) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (CertificateException e) {
            return List.of();
        }
    }
}
