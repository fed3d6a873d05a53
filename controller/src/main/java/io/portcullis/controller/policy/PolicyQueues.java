package io.portcullis.controller.policy;

import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.affected.AffectedReconciler;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.evidence.ReplicaProber;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.controller.queue.OnlyKey;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.controller.queue.ThrottledReconciler;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.controller.queue.WorkQueue.Pace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The work queues of everything that concerns policies. Drops every key before {@link #start}, so that only the leader
 * reconciles. Thread-safe.
 */
final class PolicyQueues implements AutoCloseable {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration UNTIL_SYNCED = Duration.ofMillis(100);

    /** Short delays, because users wait for a change. A change during a pass is seen before the status is written. */
    private static final Pace POLICIES =
            new Pace(Duration.ofMillis(10), 4, Duration.ofMillis(200), Duration.ofMinutes(1));

    /** Many workers, so that servers with slow replicas do not delay others. */
    private static final Pace PROBES =
            new Pace(Duration.ofMillis(50), 64, Duration.ofMillis(200), SECOND.multipliedBy(2));

    private static final int PROBE_PAUSE_FACTOR = 4;

    private static final Pace SUMMARIES = new Pace(SECOND.multipliedBy(2), 1, SECOND, Duration.ofMinutes(1));
    private static final Pace SWEEPS = new Pace(SECOND, 1, SECOND, Duration.ofMinutes(1));

    private final ClusterView view;
    private final PolicyObjects objects;
    private final WorkQueue<PolicyRef> policies;
    private final WorkQueue<String> probes;
    private final WorkQueue<String> summaries;
    private final WorkQueue<OnlyKey> sweeps;
    private final WorkQueue<OnlyKey> affected;
    private final boolean reportsAffected;
    private volatile @Nullable Reconcilers reconcilers;

    /** What the queues call. */
    record Reconcilers(
            Reconciler<PolicyRef> policies,
            ReplicaProber prober,
            Reconciler<String> summaries,
            Reconciler<OnlyKey> sweeper,
            AffectedReconciler affected) {}

    /** @param reportsAffected whether PolicyAffected is computed, at the given pace */
    PolicyQueues(ClusterView view, PolicyObjects objects, boolean reportsAffected, Pace affectedPace) {
        this.view = view;
        this.objects = objects;
        this.reportsAffected = reportsAffected;
        policies = queue("policies", POLICIES, Reconcilers::policies);
        probes = new WorkQueue<>(
                "probes",
                PROBES,
                new ThrottledReconciler<>(
                        key -> reconcile(Reconcilers::prober, key), PROBE_PAUSE_FACTOR, SECOND, System::nanoTime));
        summaries = queue("policy-summaries", SUMMARIES, Reconcilers::summaries);
        sweeps = queue("sweeper", SWEEPS, Reconcilers::sweeper);
        affected = queue("policy-affected", affectedPace, Reconcilers::affected);
    }

    private <K> WorkQueue<K> queue(String name, Pace pace, Function<Reconcilers, Reconciler<K>> reconciler) {
        return new WorkQueue<>(name, pace, key -> reconcile(reconciler, key));
    }

    /**
     * Waits until all caches have synced. Otherwise a policy server that is not listed yet would look deleted.
     */
    private <K> Optional<Duration> reconcile(Function<Reconcilers, ? extends Reconciler<K>> reconciler, K key)
            throws Exception {
        var started = reconcilers;
        if (started == null || !view.hasSynced()) {
            return Optional.of(UNTIL_SYNCED);
        }
        return reconciler.apply(started).reconcile(key);
    }

    /**
     * Starts reconciling; the watches must already run. Reconciles everything once, then every change. Probes all replicas
     * first, so that a new leader does not withdraw evidence that its predecessor had.
     */
    void start(Reconcilers callees) {
        if (reportsAffected) {
            var _ = callees.affected().reconcile(OnlyKey.ONLY);
        }
        probeAll(callees.prober());
        reconcilers = callees;
        view.policies().forEach(policy -> policy(policy.ref()));
        view.policyServers().all().forEach(server -> {
            // Once more, because changes since the first probe were not recorded.
            probeEverything(server.getMetadata().getName());
            summary(server.getMetadata().getName());
        });
        sweep();
        affected();
    }

    /** Runs in parallel, because a replica that does not answer costs seconds. */
    private void probeAll(ReplicaProber prober) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            view.policyServers().all().forEach(server -> {
                var _ = threads.submit(
                        () -> prober.reconcile(server.getMetadata().getName()));
            });
        }
    }

    private <K> void add(WorkQueue<K> queue, K key) {
        if (reconcilers != null) {
            queue.add(key);
        }
    }

    void policy(PolicyRef policy) {
        add(policies, policy);
    }

    void policiesWithId(String policyId) {
        objects.withId(policyId).forEach(policy -> policy(policy.ref()));
    }

    /** Enqueues the policies whose webhooks point to this server. */
    void policiesServedBy(String server) {
        objects.webhooks().stream()
                .filter(webhook -> new LiveWebhook(webhook).policyServer().equals(server))
                .forEach(webhook -> policiesWithId(webhook.getMetadata().getName()));
    }

    /** Asks all replicas of the server for everything that they serve. */
    void probeEverything(String server) {
        var started = reconcilers;
        if (started != null) {
            started.prober().askEverything(server);
            probes.add(server);
        }
    }

    /** Asks this replica whether its report on a policy is true. */
    void probeReport(String server, int replica, String policyId) {
        var started = reconcilers;
        if (started != null) {
            started.prober().askAbout(server, replica, policyId);
            probes.add(server);
        }
    }

    /** Asks replicas whether they serve the generation that the webhook points to. */
    void probeWebhook(LiveWebhook webhook) {
        var started = reconcilers;
        var server = webhook.policyServer();
        if (started != null
                && !server.isEmpty()
                && started.prober()
                        .askUnprovedReplicas(
                                server,
                                webhook.caBundle(),
                                webhook.object().getMetadata().getName(),
                                webhook.generation())) {
            probes.add(server);
        }
    }

    void summary(String server) {
        add(summaries, server);
    }

    void sweep() {
        add(sweeps, OnlyKey.ONLY);
    }

    void affected() {
        if (reportsAffected) {
            add(affected, OnlyKey.ONLY);
        }
    }

    boolean isDirty(PolicyRef policy) {
        return policies.isDirty(policy);
    }

    boolean isBusyWith(PolicyRef policy) {
        return policies.isBusyWith(policy);
    }

    @Override
    public void close() {
        reconcilers = null;
        policies.close();
        probes.close();
        summaries.close();
        sweeps.close();
        affected.close();
    }
}
