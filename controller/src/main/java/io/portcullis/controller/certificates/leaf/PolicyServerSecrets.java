package io.portcullis.controller.certificates.leaf;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.certificates.authority.CertificateAuthority;
import io.portcullis.controller.certificates.leaf.LeafSecrets.Outcome;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.LeafSecret;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.certificates.secrets.SecretStore;
import io.portcullis.process.kubernetes.EventWriter;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ensures the Secrets of a PolicyServer: its serving certificate, the evidence token, and the certificate of its cache
 * signer.
 */
public final class PolicyServerSecrets {

    private static final String TOKEN_FIELD_MANAGER = "kubewarden-controller/evidence-token";
    private static final int TOKEN_BYTES = 32;

    private final SecretStore store;
    private final CertificateAuthority authority;
    private final LeafSecrets leaves;
    private final EventWriter events;
    private final SecureRandom random;
    /** Serializes calls: the reconciler and the rotation may run concurrently, and would each create a certificate. */
    private final ReentrantLock lock = new ReentrantLock();

    public PolicyServerSecrets(
            SecretStore store,
            CertificateAuthority authority,
            LeafSecrets leaves,
            EventWriter events,
            SecureRandom random) {
        this.store = store;
        this.authority = authority;
        this.leaves = leaves;
        this.events = events;
        this.random = random;
    }

    /**
     * Ensures that both Secrets exist and are usable; writes nothing if they already are.
     *
     * @return false when a certificate must be replaced once the new authority has propagated
     * @throws UnusableCertificateException when a user-provided certificate is unusable; the message is for the
     *     user
     */
    public boolean ensure(PolicyServer server) {
        lock.lock();
        try {
            var signer = authority.ensure();
            boolean isServing = ensure(LeafSecret.ofPolicyServer(server, store.namespace()), signer, server);
            ensureToken(server);
            boolean isSigning = ensure(LeafSecret.ofCacheSigner(server), signer, server);
            return isServing && isSigning;
        } finally {
            lock.unlock();
        }
    }

    private boolean ensure(LeafSecret wanted, AuthoritySecret signer, PolicyServer server) {
        return switch (leaves.ensure(wanted, signer)) {
            case Outcome.Unchanged _, Outcome.Created _ -> true;
            case Outcome.Waiting _ -> false;
            case Outcome.Rotated rotated -> {
                events.write(
                        server,
                        false,
                        "CertificateRotated",
                        "replaced the certificate in Secret " + wanted.name() + ": the old one " + rotated.reason());
                yield true;
            }
        };
    }

    /** Creates the token once and keeps it over rotations, so that controller and replicas always use the same one. */
    private void ensureToken(PolicyServer server) {
        var wanted = LeafSecret.ofPolicyServer(server, store.namespace());
        if (hasToken(store.cached(wanted.name())) || hasToken(store.live(wanted.name()))) {
            return;
        }
        var token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        var text = Base64.getUrlEncoder().withoutPadding().encodeToString(token);
        store.apply(
                new SecretBuilder()
                        .withNewMetadata()
                        .withName(wanted.name())
                        .withNamespace(store.namespace())
                        .endMetadata()
                        .withData(Map.of(Evidence.TOKEN_KEY, CertificateAuthority.encoded(text)))
                        .build(),
                TOKEN_FIELD_MANAGER);
    }

    private static boolean hasToken(Optional<Secret> secret) {
        return !SecretReader.text(secret, Evidence.TOKEN_KEY).isBlank();
    }
}
