package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.certificates.LeafSecrets.Outcome;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The Secrets of a PolicyServer: what it serves with, who may ask it for evidence, and what it signs its cache with. */
public final class PolicyServerSecrets {

    private static final String TOKEN_FIELD_MANAGER = "kubewarden-controller/evidence-token";
    private static final int TOKEN_BYTES = 32;

    private final SecretStore store;
    private final CertificateAuthority authority;
    private final LeafSecrets leaves;
    private final CertificateEvents events;
    private final SecureRandom random;
    /** The reconciler and the rotation may come at once, and would each make a certificate. */
    private final ReentrantLock one = new ReentrantLock();

    PolicyServerSecrets(
            SecretStore store,
            CertificateAuthority authority,
            LeafSecrets leaves,
            CertificateEvents events,
            SecureRandom random) {
        this.store = store;
        this.authority = authority;
        this.leaves = leaves;
        this.events = events;
        this.random = random;
    }

    /**
     * Both Secrets are there and usable when this returns. Nothing is written when they are.
     *
     * @return false when a certificate will have to be replaced once the new authority is known everywhere
     * @throws UnusableCertificateException when a certificate was brought and is of no use; the message is for the user
     */
    public boolean ensure(PolicyServer server) {
        one.lock();
        try {
            var signer = authority.ensure();
            boolean isServing = ensure(LeafSecret.ofPolicyServer(server, store.namespace()), signer, server);
            token(server);
            boolean isSigning = ensure(LeafSecret.ofCacheSigner(server), signer, server);
            return isServing && isSigning;
        } finally {
            one.unlock();
        }
    }

    private boolean ensure(LeafSecret wanted, AuthoritySecret signer, PolicyServer server) {
        return switch (leaves.ensure(wanted, signer)) {
            case Outcome.Unchanged _, Outcome.Made _ -> true;
            case Outcome.Waiting _ -> false;
            case Outcome.Rotated rotated -> {
                events.rotated(server, wanted.name(), rotated.reason());
                yield true;
            }
        };
    }

    /** Made once and kept over rotations, so that the asker and the asked never disagree. */
    private void token(PolicyServer server) {
        var wanted = LeafSecret.ofPolicyServer(server, store.namespace());
        if (hasToken(store.seen(wanted.name())) || hasToken(store.actual(wanted.name()))) {
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
