package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.certificates.CertificatePlan.AuthorityStep;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The authority that signs everything else: there is one, it is valid, and its predecessor stays trusted long enough. */
final class CertificateAuthority {

    private static final Logger log = LoggerFactory.getLogger(CertificateAuthority.class);

    private final SecretStore store;
    private final CertificateMaker maker;
    private final Clock clock;
    /** Two at once would make two authorities, of which one is never trusted by anybody. */
    private final ReentrantLock one = new ReentrantLock();

    CertificateAuthority(SecretStore store, CertificateMaker maker, Clock clock) {
        this.store = store;
        this.maker = maker;
        this.clock = clock;
    }

    /**
     * The authority as it should be, made or replaced if need be.
     *
     * @throws UnusableCertificateException when it was brought and is of no use
     */
    AuthoritySecret ensure() {
        one.lock();
        try {
            var seen = new AuthoritySecret(store.seen(AuthoritySecret.NAME));
            if (step(seen) instanceof AuthorityStep.Keep) {
                return seen;
            }
            var actual = new AuthoritySecret(store.actual(AuthoritySecret.NAME));
            return switch (step(actual)) {
                case AuthorityStep.Keep _ -> actual;
                case AuthorityStep.Issue issue -> replace(actual, issue.reason(), Optional.empty());
                case AuthorityStep.Rotate rotate ->
                    replace(actual, rotate.reason(), Optional.of(AuthoritySecret.CERTIFICATE));
                case AuthorityStep.DropOld drop -> dropOld(actual, drop.reason());
                case AuthorityStep.Unusable unusable ->
                    throw new UnusableCertificateException(AuthoritySecret.NAME, unusable.problem());
            };
        } finally {
            one.unlock();
        }
    }

    private AuthorityStep step(AuthoritySecret authority) {
        return new CertificatePlan(clock.instant()).authority(authority.facts());
    }

    private AuthoritySecret replace(AuthoritySecret actual, String reason, Optional<String> keptAsOld) {
        var made = maker.authority();
        var data = new HashMap<String, String>();
        data.put(AuthoritySecret.CERTIFICATE, encoded(made.certificatePem()));
        data.put(AuthoritySecret.KEY, encoded(made.keyPem()));
        keptAsOld.ifPresent(
                key -> data.put(AuthoritySecret.OLD_CERTIFICATE, encoded(SecretReader.text(actual.secret(), key))));
        var written = write(actual, data);
        log.atInfo()
                .addKeyValue("secret", AuthoritySecret.NAME)
                .addKeyValue("reason", reason)
                .log("new authority");
        return written;
    }

    private AuthoritySecret dropOld(AuthoritySecret actual, String reason) {
        var data = new HashMap<>(
                actual.secret().map(Secret::getData).map(HashMap::new).orElseGet(HashMap::new));
        data.remove(AuthoritySecret.OLD_CERTIFICATE);
        var written = write(actual, data);
        log.atInfo()
                .addKeyValue("secret", AuthoritySecret.NAME)
                .addKeyValue("reason", reason)
                .log("the previous authority is no longer trusted");
        return written;
    }

    private AuthoritySecret write(AuthoritySecret actual, Map<String, String> data) {
        var secret = actual.secret().map(SecretBuilder::new).orElseGet(SecretBuilder::new);
        return new AuthoritySecret(Optional.of(store.write(secret.editOrNewMetadata()
                .withName(AuthoritySecret.NAME)
                .withNamespace(store.namespace())
                .addToLabels(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                .addToLabels("app.kubernetes.io/managed-by", "kubewarden-controller")
                .endMetadata()
                .withData(data)
                .build())));
    }

    static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
