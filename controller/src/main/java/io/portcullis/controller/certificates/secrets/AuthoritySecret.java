package io.portcullis.controller.certificates.secrets;

import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.controller.certificates.plan.CertificatePlan;
import io.portcullis.process.tls.Identity;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** The parsed Secret of the certificate authority. */
public record AuthoritySecret(Optional<Secret> secret) {

    public static final String NAME = "kubewarden-ca";
    public static final String CERTIFICATE = "ca.crt";
    public static final String KEY = "ca.key";
    public static final String OLD_CERTIFICATE = "old-ca.crt";

    public CertificatePlan.Authority facts() {
        boolean isUserProvided = isUserProvided();
        return new CertificatePlan.Authority(
                canSign()
                        ? SecretReader.pair(secret, CERTIFICATE, KEY, isUserProvided)
                        : SecretReader.certificateOnly(secret, CERTIFICATE),
                SecretReader.certificateOnly(secret, OLD_CERTIFICATE),
                isUserProvided);
    }

    /**
     * Whether the user provides the authority: an annotation marks it, or the Secret has a certificate without its key.
     */
    boolean isUserProvided() {
        return SecretReader.isUserProvided(secret)
                || (!canSign() && !SecretReader.text(secret, CERTIFICATE).isBlank());
    }

    public boolean canSign() {
        return !SecretReader.text(secret, KEY).isBlank();
    }

    public Identity identity() {
        return Identity.parse(NAME, SecretReader.text(secret, CERTIFICATE), SecretReader.text(secret, KEY));
    }

    public Optional<X509Certificate> current() {
        return SecretReader.certificates(SecretReader.text(secret, CERTIFICATE)).stream()
                .findFirst();
    }

    public Optional<X509Certificate> old() {
        return SecretReader.certificates(SecretReader.text(secret, OLD_CERTIFICATE)).stream()
                .findFirst();
    }

    /** All trusted certificates: the current authority, and its predecessor while there is one. */
    public Optional<String> bundle() {
        var current = SecretReader.text(secret, CERTIFICATE).strip();
        var old = SecretReader.text(secret, OLD_CERTIFICATE).strip();
        if (SecretReader.certificates(current).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(SecretReader.certificates(old).isEmpty() ? current + "\n" : current + "\n" + old + "\n");
    }
}
