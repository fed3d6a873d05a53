package io.portcullis.controller.certificates.authority;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.plan.CertificatePlan;
import io.portcullis.controller.certificates.plan.CertificatePlan.AuthorityStep;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.certificates.secrets.SecretStore;
import io.portcullis.controller.certificates.secrets.UnusableCertificateException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures a valid certificate authority that signs all other certificates, and keeps its predecessor trusted long
 * enough.
 */
public final class CertificateAuthority {

    private static final Logger log = LoggerFactory.getLogger(CertificateAuthority.class);

    private final SecretStore store;
    private final CertificateMaker maker;
    private final Clock clock;
    /** Serializes calls: two concurrent calls would create two authorities, of which one is never trusted. */
    private final ReentrantLock lock = new ReentrantLock();

    public CertificateAuthority(SecretStore store, CertificateMaker maker, Clock clock) {
        this.store = store;
        this.maker = maker;
        this.clock = clock;
    }

    /**
     * Returns the authority; creates or replaces it if necessary.
     *
     * @throws UnusableCertificateException when the user-provided authority is unusable
     */
    public AuthoritySecret ensure() {
        lock.lock();
        try {
            var cached = new AuthoritySecret(store.cached(AuthoritySecret.NAME));
            if (step(cached) instanceof AuthorityStep.Keep) {
                return cached;
            }
            var live = new AuthoritySecret(store.live(AuthoritySecret.NAME));
            return switch (step(live)) {
                case AuthorityStep.Keep _ -> live;
                case AuthorityStep.Issue issue -> replace(live, issue.reason(), Optional.empty());
                case AuthorityStep.Rotate rotate ->
                    replace(live, rotate.reason(), Optional.of(AuthoritySecret.CERTIFICATE));
                case AuthorityStep.DropOld drop -> dropOld(live, drop.reason());
                case AuthorityStep.Unusable unusable ->
                    throw new UnusableCertificateException(AuthoritySecret.NAME, unusable.problem());
            };
        } finally {
            lock.unlock();
        }
    }

    private AuthorityStep step(AuthoritySecret authority) {
        return new CertificatePlan(clock.instant()).authority(authority.facts());
    }

    private AuthoritySecret replace(AuthoritySecret live, String reason, Optional<String> keptAsOld) {
        var issued = maker.authority();
        var data = new HashMap<String, String>();
        data.put(AuthoritySecret.CERTIFICATE, encoded(issued.certificatePem()));
        data.put(AuthoritySecret.KEY, encoded(issued.keyPem()));
        keptAsOld.ifPresent(
                key -> data.put(AuthoritySecret.OLD_CERTIFICATE, encoded(SecretReader.text(live.secret(), key))));
        var written = write(live, data);
        log.atInfo()
                .addKeyValue("secret", AuthoritySecret.NAME)
                .addKeyValue("reason", reason)
                .log("new authority");
        return written;
    }

    private AuthoritySecret dropOld(AuthoritySecret live, String reason) {
        var data = new HashMap<>(
                live.secret().map(Secret::getData).map(HashMap::new).orElseGet(HashMap::new));
        data.remove(AuthoritySecret.OLD_CERTIFICATE);
        var written = write(live, data);
        log.atInfo()
                .addKeyValue("secret", AuthoritySecret.NAME)
                .addKeyValue("reason", reason)
                .log("the previous authority is no longer trusted");
        return written;
    }

    private AuthoritySecret write(AuthoritySecret live, Map<String, String> data) {
        var secret = live.secret().map(SecretBuilder::new).orElseGet(SecretBuilder::new);
        return new AuthoritySecret(Optional.of(store.write(secret.editOrNewMetadata()
                .withName(AuthoritySecret.NAME)
                .withNamespace(store.namespace())
                .addToLabels(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                .addToLabels("app.kubernetes.io/managed-by", "kubewarden-controller")
                .endMetadata()
                .withData(data)
                .build())));
    }

    public static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
