package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.LeafSecret;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The metric {@code kubewarden_certificate_expiry_seconds}: the remaining validity of each certificate. */
final class CertificateMetrics {

    private final Map<String, Instant> expiryTimes = new ConcurrentHashMap<>();

    CertificateMetrics(Metrics metrics, Clock clock) {
        metrics.gauges(
                new Description(
                        "kubewarden_certificate_expiry_seconds",
                        "",
                        "Seconds until the certificate in a Secret ends",
                        List.of("secret")),
                () -> expiryTimes.entrySet().stream()
                        .collect(Collectors.toMap(
                                secret -> List.of(secret.getKey()),
                                secret -> Duration.between(clock.instant(), secret.getValue())
                                        .toSeconds())));
    }

    void changed(@Nullable Secret before, @Nullable Secret after) {
        var certificate = Optional.ofNullable(after).flatMap(CertificateMetrics::certificate);
        if (certificate.isPresent() && after != null) {
            expiryTimes.put(
                    after.getMetadata().getName(),
                    certificate.get().getNotAfter().toInstant());
        } else if (before != null) {
            expiryTimes.remove(before.getMetadata().getName());
        }
    }

    private static Optional<X509Certificate> certificate(Secret secret) {
        var name = secret.getMetadata().getName();
        var labels = Objects.requireNonNullElse(secret.getMetadata().getLabels(), Map.<String, String>of());
        if (name.equals(AuthoritySecret.NAME)) {
            return new AuthoritySecret(Optional.of(secret)).current();
        }
        return PolicyNames.PART_OF_VALUE.equals(labels.get(PolicyNames.PART_OF))
                ? SecretReader.certificates(SecretReader.text(Optional.of(secret), LeafSecret.CERTIFICATE)).stream()
                        .findFirst()
                : Optional.empty();
    }
}
