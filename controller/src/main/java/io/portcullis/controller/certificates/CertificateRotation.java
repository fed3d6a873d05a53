package io.portcullis.controller.certificates;

import io.portcullis.controller.certificates.authority.CertificateAuthority;
import io.portcullis.controller.certificates.authority.WebhookTrust;
import io.portcullis.controller.certificates.leaf.LeafSecrets;
import io.portcullis.controller.certificates.leaf.LeafSecrets.Outcome;
import io.portcullis.controller.certificates.leaf.PolicyServerSecrets;
import io.portcullis.controller.certificates.secrets.LeafSecret;
import io.portcullis.controller.certificates.secrets.UnusableCertificateException;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.queue.OnlyKey;
import io.portcullis.controller.queue.Reconciler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles every certificate at start, hourly and after changes: first the authority, then the CA bundles of
 * webhooks, then the certificates that the authority signs.
 */
final class CertificateRotation implements Reconciler<OnlyKey> {

    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration RECHECK = Duration.ofSeconds(5);
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

    /** Reconciles all certificates; a problem with one does not stop the others. */
    @Override
    public Optional<Duration> reconcile(OnlyKey key) {
        var current = authority.ensure();
        current.bundle().ifPresent(webhooks::writeBundle);
        var failures = new ArrayList<UnusableCertificateException>();
        boolean isDone = true;
        for (var wanted : own) {
            isDone &= attempt(failures, () -> !(leaves.ensure(wanted, current) instanceof Outcome.Waiting));
        }
        for (var server : view.policyServers().all()) {
            if (!server.isMarkedForDeletion()) {
                isDone &= attempt(failures, () -> servers.ensure(server));
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return Optional.of(isDone ? INTERVAL : RECHECK);
    }

    /** @param isDone reconciles one certificate */
    private static boolean attempt(List<UnusableCertificateException> failures, BooleanSupplier isDone) {
        try {
            return isDone.getAsBoolean();
        } catch (UnusableCertificateException e) {
            log.atError().log(e.getMessage());
            failures.add(e);
            return true;
        }
    }
}
