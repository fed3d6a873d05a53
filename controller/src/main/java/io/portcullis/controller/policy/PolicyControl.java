package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.controller.affected.AffectedReconciler;
import io.portcullis.controller.affected.RateLimitedWriter;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.evidence.EvidenceStore;
import io.portcullis.controller.evidence.ReplicaCall;
import io.portcullis.controller.evidence.ReplicaProber;
import io.portcullis.controller.evidence.ReplicaReportStore;
import io.portcullis.controller.policy.apply.PlanRunner;
import io.portcullis.controller.policy.apply.PolicyWriter;
import io.portcullis.controller.policy.apply.RevisionWriter;
import io.portcullis.controller.policy.apply.RollbackRunner;
import io.portcullis.controller.policy.apply.StepRunner;
import io.portcullis.controller.policy.apply.Sweeper;
import io.portcullis.controller.policy.metrics.PolicyMetrics;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.RevisionReadings;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.observe.Observer;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.controller.policy.observe.PrecedenceView;
import io.portcullis.controller.policy.status.FactsGathering;
import io.portcullis.controller.policy.status.ReplicaEvidence;
import io.portcullis.controller.policy.status.RevisionKeeper;
import io.portcullis.controller.policy.status.ServerSummary;
import io.portcullis.controller.policy.status.StatusDelay;
import io.portcullis.controller.policy.status.StatusPublisher;
import io.portcullis.controller.policy.webhook.MatchConditionSupport;
import io.portcullis.controller.policy.webhook.WebhookRendering;
import io.portcullis.controller.policy.webhook.WebhookWriter;
import io.portcullis.controller.queue.WorkQueue.Pace;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.kubernetes.OwnWrites;
import io.portcullis.process.metrics.Metrics;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.KeyManager;

/**
 * Wires all components that reconcile policies. Must be created before the watches start. Does nothing before
 * {@link #start}, so that a standby controller keeps its watch caches up to date without writing.
 */
public final class PolicyControl implements AutoCloseable {

    private final PolicyQueues queues;
    private final PolicyQueues.Reconcilers reconcilers;
    private final PolicyWatches watches;
    private final RateLimitedWriter affectedWriter;

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
                    new Pace(Duration.ofSeconds(30), 1, Duration.ofSeconds(1), Duration.ofMinutes(1)),
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
            EventWriter events,
            Supplier<Optional<String>> caBundle,
            Supplier<KeyManager[]> clientKeys,
            Metrics metrics,
            Clock clock) {
        this(settings, view, client, events, caBundle, clientKeys, metrics, clock, Surroundings.usual(client));
    }

    PolicyControl(
            PolicySettings settings,
            ClusterView view,
            KubernetesClient client,
            EventWriter events,
            Supplier<Optional<String>> caBundle,
            Supplier<KeyManager[]> clientKeys,
            Metrics metrics,
            Clock clock,
            Surroundings surroundings) {
        var scheme = settings.identityScheme();
        var written = new OwnWrites(System::nanoTime);
        var objects = new PolicyObjects(view, written, scheme);
        var servers = new Servers(view, settings.namespace(), clock);
        var readings = new RevisionReadings();
        var rendering = new WebhookRendering(
                settings.namespace(), namespaceUid(view, settings), caBundle, surroundings.supportsMatchConditions());
        readings.follow(view.revisions());
        rendering.follow(view.validatingWebhooks());
        rendering.follow(view.mutatingWebhooks());
        queues = new PolicyQueues(view, objects, settings.reportsAffected(), surroundings.affected());

        var api = new ApiWriter(client, written);
        var revisions = new RevisionWriter(api, clock);
        var policies = new PolicyWriter(api);
        var webhooks = new WebhookWriter(api, objects, rendering);
        var policyMetrics =
                new PolicyMetrics(metrics, scheme, view::policies, servers::readyCounts, servers::wantedCounts);

        affectedWriter = new RateLimitedWriter(surroundings.affectedWrites(), queues::policy, queues::isBusyWith);
        var affected = new AffectedReconciler(
                settings.namespace(), () -> view.policies().toList(), view.namespaces()::all, affectedWriter);

        var evidence = new EvidenceStore(clock);
        var reports = new ReplicaReportStore(clock, queues::summary);
        var prober = new ReplicaProber(
                new ReplicaEvidence(settings.namespace(), view, objects, servers, caBundle),
                evidence,
                new ReplicaCall(clientKeys),
                new ReplicaProber.Listener(queues::policiesWithId, queues::policiesServedBy),
                reports,
                RandomGenerator.getDefault(),
                clock);

        var precedence = new PrecedenceView(settings, objects, view.namespaces());
        var observer = new Observer(
                settings,
                objects,
                readings,
                servers,
                rendering,
                precedence,
                surroundings.supportsMatchConditions(),
                clock);
        var desiredRevision = new DesiredRevision(scheme, settings.namespace());
        var steps = new StepRunner(
                objects, desiredRevision, revisions, webhooks, policies, rendering, events, policyMetrics);
        var reconciler = new PolicyReconciler(
                objects,
                precedence,
                observer,
                new RollbackRunner(policies, events, policyMetrics),
                new PlanRunner(objects, observer, steps),
                new StatusPublisher(
                        new RevisionKeeper(revisions, servers, readings),
                        new FactsGathering(settings, servers, readings, evidence, affected::affectedBy),
                        policies,
                        events,
                        clock),
                new StatusDelay(queues::isDirty, clock),
                clock);

        reconcilers = new PolicyQueues.Reconcilers(
                reconciler,
                prober,
                new ServerSummary(objects, servers, api, reports::of, clock),
                new Sweeper(settings, client, objects, api, readings, revisions, clock),
                affected);
        watches = new PolicyWatches(objects, scheme, queues);
        watches.connect(view);
    }

    private static Supplier<Optional<String>> namespaceUid(ClusterView view, PolicySettings settings) {
        return () -> view.namespaces()
                .get("", settings.namespace())
                .map(namespace -> namespace.getMetadata().getUid());
    }

    /** Starts reconciling; the watches of {@code view} must already run. */
    public void start() {
        queues.start(reconcilers);
    }

    /** Call after the CA certificates for webhooks have changed. */
    public void authorityChanged() {
        watches.authorityChanged();
    }

    @Override
    public void close() {
        queues.close();
        affectedWriter.close();
    }
}
