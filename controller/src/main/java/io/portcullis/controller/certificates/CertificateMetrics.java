package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Gauge;
import io.portcullis.process.metrics.Metrics;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code kubewarden_certificate_expiry_seconds}: how long each certificate is still good for. */
final class CertificateMetrics {

    private final Family<Gauge> expiry;
    private final Clock clock;

    CertificateMetrics(Metrics metrics, Clock clock) {
        this.expiry = metrics.gauges(
                "kubewarden_certificate_expiry_seconds", "Seconds until the certificate in a Secret ends", "secret");
        this.clock = clock;
    }

    void changed(@Nullable Secret before, @Nullable Secret after) {
        var certificate = Optional.ofNullable(after).flatMap(CertificateMetrics::certificate);
        if (certificate.isPresent() && after != null) {
            var end = certificate.get().getNotAfter().toInstant();
            expiry.with(after.getMetadata().getName())
                    .follow(() -> Duration.between(clock.instant(), end).toSeconds());
        } else if (before != null) {
            expiry.drop(before.getMetadata().getName());
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
