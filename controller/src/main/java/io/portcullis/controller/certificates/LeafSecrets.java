package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.controller.certificates.CertificatePlan.LeafStep;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings Secrets with certificates from what they are to what they should be. */
final class LeafSecrets {

    static final String FORMAT = "kubewarden.io/cert-format-version";

    private static final String FORMAT_VERSION = "1";
    private static final Logger log = LoggerFactory.getLogger(LeafSecrets.class);

    private final SecretStore store;
    private final CertificateMaker maker;
    private final AuthorityTrust trust;
    private final Clock clock;

    LeafSecrets(SecretStore store, CertificateMaker maker, AuthorityTrust trust, Clock clock) {
        this.store = store;
        this.maker = maker;
        this.trust = trust;
        this.clock = clock;
    }

    /** What came of it. */
    sealed interface Outcome {

        record Unchanged() implements Outcome {}

        /** To be looked at again when the new authority is known everywhere. */
        record Waiting() implements Outcome {}

        record Made() implements Outcome {}

        /** There was a certificate before; why it was replaced. */
        record Rotated(String reason) implements Outcome {}
    }

    /** @throws UnusableCertificateException when it was brought and is of no use */
    Outcome ensure(LeafSecret wanted, AuthoritySecret authority) {
        var seen = step(wanted, store.seen(wanted.name()), authority);
        if (seen instanceof LeafStep.Keep) {
            return new Outcome.Unchanged();
        }
        if (seen instanceof LeafStep.Wait) {
            return new Outcome.Waiting();
        }
        var actual = store.actual(wanted.name());
        return switch (step(wanted, actual, authority)) {
            case LeafStep.Keep _ -> new Outcome.Unchanged();
            case LeafStep.Wait _ -> new Outcome.Waiting();
            case LeafStep.Issue issue -> issue(wanted, actual, authority, issue.reason());
            case LeafStep.Unusable unusable -> throw unusable(wanted, authority, unusable.problem());
        };
    }

    private LeafStep step(LeafSecret wanted, Optional<Secret> secret, AuthoritySecret authority) {
        boolean brought = SecretReader.isBrought(secret) || !authority.canSign();
        var held = SecretReader.pair(secret, LeafSecret.CERTIFICATE, LeafSecret.KEY, brought);
        var step = new CertificatePlan(clock.instant()).leaf(held, brought, wanted.request(), trust.of(authority));
        boolean isOutdated = wanted.isVersioned()
                && !brought
                && !SecretReader.annotation(secret, FORMAT).equals(Optional.of(FORMAT_VERSION));
        return isOutdated && step instanceof LeafStep.Keep ? new LeafStep.Issue("was written in another format") : step;
    }

    private Outcome issue(LeafSecret wanted, Optional<Secret> actual, AuthoritySecret authority, String reason) {
        var made = maker.leaf(wanted.request(), authority.identity());
        store.apply(render(wanted, actual, made));
        log.atInfo()
                .addKeyValue("secret", wanted.name())
                .addKeyValue("reason", reason)
                .log("new certificate");
        return SecretReader.text(actual, LeafSecret.CERTIFICATE).isEmpty()
                ? new Outcome.Made()
                : new Outcome.Rotated(reason);
    }

    /** The type of a Secret cannot change, so one that is there keeps its own. */
    private Secret render(LeafSecret wanted, Optional<Secret> actual, CertificateMaker.Made made) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(wanted.name())
                .withNamespace(store.namespace())
                .withLabels(wanted.labels())
                .withAnnotations(wanted.isVersioned() ? Map.of(FORMAT, FORMAT_VERSION) : Map.of())
                .withOwnerReferences(wanted.owner().stream().toList())
                .endMetadata()
                .withType(actual.map(Secret::getType).orElse("Opaque"))
                .withData(Map.of(
                        LeafSecret.CERTIFICATE,
                        CertificateAuthority.encoded(made.certificatePem()),
                        LeafSecret.KEY,
                        CertificateAuthority.encoded(made.keyPem())))
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
