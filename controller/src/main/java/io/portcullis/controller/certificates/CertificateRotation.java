package io.portcullis.controller.certificates;

import io.portcullis.controller.certificates.LeafSecrets.Outcome;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.queue.Reconciler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at every certificate, at start, hourly, and when something changed: first the authority, then whom API servers
 * trust, then what the authority signs.
 */
final class CertificateRotation implements Reconciler<String> {

    /** The only key; there is one set of certificates. */
    static final String ALL = "certificates";

    private static final Duration LOOK_AGAIN = Duration.ofHours(1);
    private static final Duration WHILE_WAITING = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(CertificateRotation.class);

    private final ClusterView view;
    private final CertificateAuthority authority;
    private final WebhookTrust webhooks;
    private final LeafSecrets leaves;
    private final List<LeafSecret> own;
    private final PolicyServerSecrets servers;

    /** @param own certificates that do not belong to a PolicyServer */
    CertificateRotation(
            ClusterView view,
            CertificateAuthority authority,
            WebhookTrust webhooks,
            LeafSecrets leaves,
            List<LeafSecret> own,
            PolicyServerSecrets servers) {
        this.view = view;
        this.authority = authority;
        this.webhooks = webhooks;
        this.leaves = leaves;
        this.own = List.copyOf(own);
        this.servers = servers;
    }

    /** What is wrong with one certificate does not keep the others from being looked at. */
    @Override
    public Optional<Duration> reconcile(String key) {
        var current = authority.ensure();
        current.bundle().ifPresent(webhooks::tell);
        var troubles = new ArrayList<UnusableCertificateException>();
        boolean isDone = true;
        for (var wanted : own) {
            isDone &= attempt(troubles, () -> !(leaves.ensure(wanted, current) instanceof Outcome.Waiting));
        }
        for (var server : view.policyServers().all()) {
            if (!server.isMarkedForDeletion()) {
                isDone &= attempt(troubles, () -> servers.ensure(server));
            }
        }
        if (!troubles.isEmpty()) {
            throw troubles.getFirst();
        }
        return Optional.of(isDone ? LOOK_AGAIN : WHILE_WAITING);
    }

    @FunctionalInterface
    private interface Attempt {
        boolean isDone();
    }

    private static boolean attempt(List<UnusableCertificateException> troubles, Attempt attempt) {
        try {
            return attempt.isDone();
        } catch (UnusableCertificateException e) {
            log.atError().log(e.getMessage());
            troubles.add(e);
            return true;
        }
    }
}
