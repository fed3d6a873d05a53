package io.portcullis.controller.certificates.leaf;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.controller.certificates.authority.AuthorityTrust;
import io.portcullis.controller.certificates.authority.CertificateAuthority;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.plan.CertificatePlan;
import io.portcullis.controller.certificates.plan.CertificatePlan.LeafStep;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.LeafSecret;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.certificates.secrets.SecretStore;
import io.portcullis.controller.certificates.secrets.UnusableCertificateException;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reconciles Secrets with certificates that the authority signs. */
public final class LeafSecrets {

    public static final String FORMAT = "kubewarden.io/cert-format-version";

    private static final String FORMAT_VERSION = "1";
    private static final Logger log = LoggerFactory.getLogger(LeafSecrets.class);

    private final SecretStore store;
    private final CertificateMaker maker;
    private final AuthorityTrust trust;
    private final Clock clock;

    public LeafSecrets(SecretStore store, CertificateMaker maker, AuthorityTrust trust, Clock clock) {
        this.store = store;
        this.maker = maker;
        this.trust = trust;
        this.clock = clock;
    }

    /** The result of a reconcile. */
    public sealed interface Outcome {

        record Unchanged() implements Outcome {}

        /** To be checked again once the new authority has propagated. */
        record Waiting() implements Outcome {}

        record Created() implements Outcome {}

        /** A certificate existed before; the reason of its replacement. */
        record Rotated(String reason) implements Outcome {}
    }

    /** @throws UnusableCertificateException when the user-provided certificate is unusable */
    public Outcome ensure(LeafSecret wanted, AuthoritySecret authority) {
        var cachedStep = step(wanted, store.cached(wanted.name()), authority);
        if (cachedStep instanceof LeafStep.Keep) {
            return new Outcome.Unchanged();
        }
        if (cachedStep instanceof LeafStep.Wait) {
            return new Outcome.Waiting();
        }
        var live = store.live(wanted.name());
        return switch (step(wanted, live, authority)) {
            case LeafStep.Keep _ -> new Outcome.Unchanged();
            case LeafStep.Wait _ -> new Outcome.Waiting();
            case LeafStep.Issue issue -> issue(wanted, live, authority, issue.reason());
            case LeafStep.Unusable unusable -> throw unusable(wanted, authority, unusable.problem());
        };
    }

    private LeafStep step(LeafSecret wanted, Optional<Secret> secret, AuthoritySecret authority) {
        boolean isUserProvided = SecretReader.isUserProvided(secret) || !authority.canSign();
        var stored = SecretReader.pair(secret, LeafSecret.CERTIFICATE, LeafSecret.KEY, isUserProvided);
        var step = new CertificatePlan(clock.instant())
                .leaf(stored, isUserProvided, wanted.request(), trust.of(authority));
        boolean isOutdated = wanted.isVersioned()
                && !isUserProvided
                && !SecretReader.annotation(secret, FORMAT).equals(Optional.of(FORMAT_VERSION));
        return isOutdated && step instanceof LeafStep.Keep ? new LeafStep.Issue("was written in another format") : step;
    }

    private Outcome issue(LeafSecret wanted, Optional<Secret> live, AuthoritySecret authority, String reason) {
        var issued = maker.leaf(wanted.request(), authority.identity());
        store.apply(render(wanted, live, issued));
        log.atInfo()
                .addKeyValue("secret", wanted.name())
                .addKeyValue("reason", reason)
                .log("new certificate");
        return SecretReader.text(live, LeafSecret.CERTIFICATE).isEmpty()
                ? new Outcome.Created()
                : new Outcome.Rotated(reason);
    }

    /** The type of a Secret is immutable, so an existing Secret keeps its type. */
    private Secret render(LeafSecret wanted, Optional<Secret> live, CertificateMaker.IssuedCertificate issued) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(wanted.name())
                .withNamespace(store.namespace())
                .withLabels(wanted.labels())
                .withAnnotations(wanted.isVersioned() ? Map.of(FORMAT, FORMAT_VERSION) : Map.of())
                .withOwnerReferences(wanted.owner().stream().toList())
                .endMetadata()
                .withType(live.map(Secret::getType).orElse("Opaque"))
                .withData(Map.of(
                        LeafSecret.CERTIFICATE,
                        CertificateAuthority.encoded(issued.certificatePem()),
                        LeafSecret.KEY,
                        CertificateAuthority.encoded(issued.keyPem())))
                .build();
    }

    private static UnusableCertificateException unusable(LeafSecret wanted, AuthoritySecret authority, String problem) {
        return new UnusableCertificateException(
                wanted.name(),
                authority.canSign()
                        ? problem
                        : problem + "; it has to be brought, because Secret " + AuthoritySecret.NAME + " has no "
                                + AuthoritySecret.KEY + " to sign it with");
    }
}
