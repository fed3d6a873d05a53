package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.controller.affected.AffectedReconciler;
import io.portcullis.controller.affected.RateLimitedWriter;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.controller.evidence.EvidenceStore;
import io.portcullis.controller.evidence.ReplicaCall;
import io.portcullis.controller.evidence.ReplicaProber;
import io.portcullis.controller.evidence.ReplicaReportStore;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.controller.queue.ThrottledReconciler;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.controller.queue.WorkQueue.Pace;
import io.portcullis.process.metrics.Metrics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.KeyManager;

/**
 * Wires all components that reconcile policies. Must be created before the watches start. Does nothing before
 * {@link #start}, so that a standby controller keeps its watch caches up to date without writing.
 */
public final class PolicyControl implements AutoCloseable {

    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Short delays, because users wait for a change. A change during a pass is seen before the status is written. */
    private static final Pace POLICIES =
            new Pace(Duration.ofMillis(10), 4, Duration.ofMillis(200), Duration.ofMinutes(1));

    /** Many workers, so that servers with slow replicas do not delay others. */
    private static final Pace PROBES =
            new Pace(Duration.ofMillis(50), 64, Duration.ofMillis(200), SECOND.multipliedBy(2));

    private static final Pace SUMMARY = new Pace(SECOND.multipliedBy(2), 1, SECOND, Duration.ofMinutes(1));
    private static final Pace SWEEP = new Pace(SECOND, 1, SECOND, Duration.ofMinutes(1));

    private final PolicySettings settings;
    private final ClusterView view;
    private final PolicyObjects objects;
    private final EventRecorder events;
    private final PolicyReconciler reconciler;
    private final ReplicaProber prober;
    private final AffectedReconciler affected;
    private final Watched<Namespace> namespaces;
    private final RateLimitedWriter affectedWriter;
    private final WorkQueue<PolicyRef> policies;
    private final WorkQueue<String> probes;
    private final WorkQueue<String> summaries;
    private final WorkQueue<Sweeper.Everything> sweeps;
    private final WorkQueue<AffectedReconciler.Everything> affectedPasses;
    private final PolicyWatches watches;
    private volatile boolean isStarted;

    /**
     * Settings that only tests change.
     *
     * @param affected how often PolicyAffected is computed
     * @param affectedWrites how fast its results are written
     * @param supportsMatchConditions whether the API server supports match conditions
     */
    record Surroundings(Pace affected, RateLimitedWriter.Pace affectedWrites, BooleanSupplier supportsMatchConditions) {

        static Surroundings usual(KubernetesClient client) {
            return new Surroundings(
                    new Pace(SECOND.multipliedBy(30), 1, SECOND, Duration.ofMinutes(1)),
                    RateLimitedWriter.Pace.USUAL,
                    MatchConditionSupport.of(client));
        }
    }

    /**
     * Creates all components.
     *
     * @param caBundle base64 of PEM with the CA certificates of policy servers; empty until there are any
     * @param clientKeys the keys for servers that require client certificates; may be none
     */
    public PolicyControl(
            PolicySettings settings,
            ClusterView view,
            KubernetesClient client,
            Supplier<Optional<String>> caBundle,
            Supplier<KeyManager[]> clientKeys,
            Metrics metrics,
            Clock clock) {
        this(settings, view, client, caBundle, clientKeys, metrics, clock, Surroundings.usual(client));
    }

    PolicyControl(
            PolicySettings settings,
            ClusterView view,
            KubernetesClient client,
            Supplier<Optional<String>> caBundle,
            Supplier<KeyManager[]> clientKeys,
            Metrics metrics,
            Clock clock,
            Surroundings surroundings) {
        this.settings = settings;
        this.view = view;
        this.objects = new PolicyObjects(view, settings.identityScheme());
        var servers = new Servers(view, settings.namespace(), clock);
        var readings = new RevisionReadings();
        readings.follow(view.revisions());
        var rendering = new WebhookRendering(
                settings.namespace(),
                () -> view.namespaces()
                        .get("", settings.namespace())
                        .map(namespace -> namespace.getMetadata().getUid()),
                caBundle,
                surroundings.supportsMatchConditions());
        rendering.follow(view.validatingWebhooks());
        rendering.follow(view.mutatingWebhooks());
        var api = new ApiWriter(client, objects);
        var revisions = new RevisionWriter(api, clock);
        var policyWriter = new PolicyWriter(api);
        this.events = new EventRecorder(client, clock);
        var policyMetrics = new PolicyMetrics(
                metrics, settings.identityScheme(), view::policies, servers::readyCounts, servers::wantedCounts);
        var evidence = new EvidenceStore(clock);
        this.affectedWriter = new RateLimitedWriter(surroundings.affectedWrites(), this::enqueue, this::isBusyWith);
        this.namespaces = view.namespaces();
        var precedence = new PrecedenceView(settings, objects, namespaces);
        this.reconciler = new PolicyReconciler(
                objects,
                new Observer(
                        settings,
                        objects,
                        readings,
                        servers,
                        rendering,
                        precedence,
                        surroundings.supportsMatchConditions(),
                        clock),
                new RollbackRunner(policyWriter, events, policyMetrics),
                new StepRunner(
                        objects,
                        new DesiredRevision(settings.identityScheme(), settings.namespace()),
                        revisions,
                        new WebhookWriter(api, objects, rendering),
                        policyWriter,
                        rendering,
                        events,
                        policyMetrics),
                new RevisionKeeper(revisions, servers, readings),
                new FactsGathering(settings, servers, readings, evidence, this::affectedBy),
                new StatusPublisher(policyWriter, events, clock),
                precedence,
                this::isDirty,
                clock);
        this.affected = new AffectedReconciler(
                settings.namespace(), () -> view.policies().toList(), namespaces::all, affectedWriter);
        this.policies = queue("policies", POLICIES, reconciler);
        var reports = new ReplicaReportStore(clock, this::enqueueSummary);
        this.prober = new ReplicaProber(
                new ReplicaEvidence(settings.namespace(), view, objects, servers, caBundle),
                evidence,
                new ReplicaCall(clientKeys),
                new ReplicaProber.Listener(this::enqueueById, this::enqueueServed),
                reports,
                RandomGenerator.getDefault(),
                clock);
        this.probes = queue("probes", PROBES, new ThrottledReconciler<>(prober, 4, SECOND, System::nanoTime));
        this.summaries =
                queue("policy-summaries", SUMMARY, new ServerSummary(objects, servers, api, reports::of, clock));
        this.sweeps = queue("sweeper", SWEEP, new Sweeper(settings, client, objects, api, readings, revisions, clock));
        this.affectedPasses = queue("policy-affected", surroundings.affected(), affected);
        this.watches = new PolicyWatches(
                objects,
                settings.identityScheme(),
                new PolicyWatches.Queues(
                        this::enqueue,
                        new LeaderProbes(),
                        server -> enqueue(summaries, server),
                        () -> enqueue(sweeps, Sweeper.Everything.EVERYTHING),
                        this::enqueueAffected));
        watches.connect(view);
        namespaces.onChange((before, after) -> {
            boolean isSame = before != null
                    && after != null
                    && before.getMetadata()
                            .getLabels()
                            .equals(after.getMetadata().getLabels());
            if (!isSame) {
                enqueueAffected();
                watches.namespaceChanged();
            }
        });
    }

    /**
     * Creates a queue that waits until all caches have synced. Otherwise a policy server that is not listed yet would
     * look deleted.
     */
    private <K> WorkQueue<K> queue(String name, Pace pace, Reconciler<K> reconciler) {
        return new WorkQueue<>(
                name, pace, key -> view.hasSynced() ? reconciler.reconcile(key) : Optional.of(Duration.ofMillis(100)));
    }

    private void enqueueSummary(String server) {
        enqueue(summaries, server);
    }

    private <K> void enqueue(WorkQueue<K> queue, K key) {
        if (isStarted) {
            queue.add(key);
        }
    }

    /** Schedules probes, but only on the leader. */
    private final class LeaderProbes implements PolicyWatches.Probes {

        @Override
        public void everything(String server) {
            if (isStarted) {
                prober.askEverything(server);
                probes.add(server);
            }
        }

        @Override
        public void reported(String server, int replica, String policyId) {
            if (isStarted) {
                prober.askAbout(server, replica, policyId);
                probes.add(server);
            }
        }

        @Override
        public void registered(LiveWebhook webhook) {
            var server = webhook.policyServer();
            if (isStarted
                    && !server.isEmpty()
                    && prober.askUnprovedReplicas(
                            server,
                            webhook.caBundle(),
                            webhook.object().getMetadata().getName(),
                            webhook.generation())) {
                probes.add(server);
            }
        }
    }

    private boolean isDirty(PolicyRef policy) {
        return policies.isDirty(policy);
    }

    private boolean isBusyWith(PolicyRef policy) {
        return policies.isBusyWith(policy);
    }

    private void enqueue(PolicyRef policy) {
        enqueue(policies, policy);
    }

    private Optional<List<String>> affectedBy(Policy policy) {
        return settings.reportsAffected() ? Optional.of(affected.affectedBy(policy)) : Optional.empty();
    }

    private void enqueueById(String policyId) {
        objects.withId(policyId).forEach(policy -> enqueue(policy.ref()));
    }

    /** Enqueues the policies whose webhooks point to this server. */
    private void enqueueServed(String server) {
        objects.webhooks().stream()
                .filter(webhook -> new LiveWebhook(webhook).policyServer().equals(server))
                .forEach(webhook -> enqueueById(webhook.getMetadata().getName()));
    }

    private void enqueueAffected() {
        if (settings.reportsAffected()) {
            enqueue(affectedPasses, AffectedReconciler.Everything.EVERYTHING);
        }
    }

    /**
     * Starts reconciling; the watches of {@code view} must already run. Reconciles everything once, then every change.
     * Probes all replicas first, so that a new leader does not withdraw evidence that its predecessor had.
     */
    public void start() {
        if (settings.reportsAffected()) {
            affected.reconcile(AffectedReconciler.Everything.EVERYTHING);
        }
        probeAll();
        isStarted = true;
        view.policies().forEach(policy -> enqueue(policy.ref()));
        view.policyServers().all().forEach(server -> {
            // Once more, because changes since the first probe were not recorded.
            prober.askEverything(server.getMetadata().getName());
            enqueue(probes, server.getMetadata().getName());
            enqueue(summaries, server.getMetadata().getName());
        });
        enqueue(sweeps, Sweeper.Everything.EVERYTHING);
        enqueueAffected();
    }

    /** Runs in parallel, because a replica that does not answer costs seconds. */
    private void probeAll() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            view.policyServers().all().forEach(server -> {
                var _ = threads.submit(
                        () -> prober.reconcile(server.getMetadata().getName()));
            });
        }
    }

    /** Call after the CA certificates for webhooks have changed. */
    public void authorityChanged() {
        watches.authorityChanged();
    }

    /** For tests that control when a pass runs. */
    PolicyReconciler reconciler() {
        return reconciler;
    }

    @Override
    public void close() {
        isStarted = false;
        policies.close();
        probes.close();
        summaries.close();
        sweeps.close();
        affectedPasses.close();
        affectedWriter.close();
        events.close();
    }
}
