package io.portcullis.server.cluster;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.process.leadership.Leadership;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.initialization.Initializer;
import io.portcullis.server.cluster.initialization.LeaderReports;
import io.portcullis.server.cluster.initialization.LeaderWork;
import io.portcullis.server.cluster.initialization.SignatureCheck;
import io.portcullis.server.cluster.initialization.TenancyCheck;
import io.portcullis.server.cluster.initialization.TenancySource;
import io.portcullis.server.cluster.loop.Loop;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.modules.SignedModules;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.cluster.revisions.Revisions;
import io.portcullis.server.cluster.revisions.StatusWriter;
import io.portcullis.server.cluster.serving.Replica;
import io.portcullis.server.cluster.serving.ReplicaReporter;
import io.portcullis.server.cluster.serving.RevisionLoader;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.preparation.quarantine.Quarantine;
import io.portcullis.server.settings.ClusterSettings.Identity;
import io.portcullis.server.source.LoadingThreads;
import io.portcullis.server.source.PolicyLoadState;
import io.portcullis.server.source.PolicySource;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the policies of a PolicyServer as one of its replicas. One loop reconciles the policies that changed. Every replica
 * loads revisions and reports on them. The leader also initialises revisions for all replicas.
 *
 * <pre>
 *   Revisions (watch) ──► Loop ──► Replica     ServingPlan          load · serve · unload · Ready
 *   Leadership (lease) ───┘  └──► LeaderWork   InitializationPlan   resolve · pull · compile · sign · Scheduled, Initialized
 * </pre>
 */
public final class ClusterSource implements PolicySource {

    private static final Logger log = LoggerFactory.getLogger(ClusterSource.class);
    /** May exceed the number of processors, because an initialisation mostly waits for a registry. */
    private static final int MAX_PARALLEL_INITIALIZATIONS = 8;
    /** The resync corrects a change that the watch or a task did not report. */
    private static final Duration RESYNC_INTERVAL = Duration.ofSeconds(30);

    private final Identity identity;
    private final EvaluationEnvironment environment;
    private final Revisions revisions;
    private final PolicyLoadSpecs loadSpecs;
    private final Leadership leadership;
    private final LeaderWork leaderWork;
    private final Replica replica;
    private final Upkeep upkeep;
    private final QuarantineRelease release;
    private final Loop loop;
    private final ExecutorService initializers;
    private final ExecutorService loaders;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private final RevisionIndex index = new RevisionIndex();
    private long resyncAt = System.nanoTime();
    private boolean wasReady;

    public ClusterSource(
            ClusterParts parts,
            WasmPolicyLoader loader,
            Quarantine quarantine,
            EvaluationEnvironment environment,
            Metrics metrics,
            Clock clock) {
        var client = parts.client();
        var modules = parts.modules();
        var statements = parts.statements();
        var random = RandomGenerator.getDefault();
        var loadMetrics = new LoadMetrics(metrics);
        this.identity = parts.settings().identity();
        this.environment = environment;
        this.loop = new Loop(
                "replica",
                this::reconcile,
                fault -> failure.completeExceptionally(new IllegalStateException("the JVM failed: " + fault, fault)));
        this.revisions = new Revisions(client, identity.namespace(), identity.policyServer(), loop::wake);
        this.loadSpecs = new PolicyLoadSpecs(parts.settings().namespacedCapabilities());
        this.initializers = LoadingThreads.pool("initialize", MAX_PARALLEL_INITIALIZATIONS);
        this.loaders = LoadingThreads.pool("load", Runtime.getRuntime().availableProcessors());
        var writer = new StatusWriter(client, revisions, identity.namespace(), clock);
        this.leadership = new Leadership(
                client,
                new Leadership.Candidate(
                        identity.namespace(),
                        PolicyServerNames.service(identity.policyServer()),
                        identity.podName(),
                        () -> owner(client)),
                clock,
                System::nanoTime,
                term -> {
                    parts.events().leaderElected(term);
                    loop.wake();
                });
        this.leaderWork = new LeaderWork(
                leadership.tenure(),
                new TenancyCheck(TenancySource.of(client, identity.policyServer(), modules.isVerifying())),
                new Initializer(modules, loader, loadMetrics),
                new SignedModules(statements, modules),
                new SignatureCheck(modules, parts.settings().unverifiedPolicies()),
                new LeaderReports(writer, leadership.tenure(), statements, identity.podName()),
                initializers,
                loop,
                clock,
                random);
        this.replica = new Replica(
                identity.replica(),
                identity.podUid(),
                new RevisionLoader(modules, statements, loader, loadMetrics),
                new ReplicaReporter(writer, identity.replica(), loop, clock),
                loaders,
                loop,
                environment,
                clock,
                random);
        this.release = new QuarantineRelease(quarantine, () -> annotations(client));
        this.upkeep = new Upkeep(
                modules,
                loader.fingerprints(),
                parts.settings().cache().isShared(),
                task -> Thread.ofVirtual().name("cache-upkeep").start(task),
                clock);
        metrics.gauge(
                "kubewarden_leader",
                "1 while this replica leads.",
                () -> leadership.tenure().term().isPresent() ? 1 : 0);
    }

    private Optional<OwnerReference> owner(KubernetesClient client) {
        return Optional.ofNullable(client.resources(PolicyServer.class)
                        .withName(identity.policyServer())
                        .get())
                .map(server -> new OwnerReferenceBuilder()
                        .withApiVersion(PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                        .withKind("PolicyServer")
                        .withName(identity.policyServer())
                        .withUid(server.getMetadata().getUid())
                        .build());
    }

    private Map<String, String> annotations(KubernetesClient client) {
        return Optional.ofNullable(client.resources(PolicyServer.class)
                        .withName(identity.policyServer())
                        .get())
                .map(server -> server.getMetadata().getAnnotations())
                .orElse(Map.of());
    }

    private void releaseModules() {
        try {
            if (release.release()) {
                loop.post(leaderWork::retryNow);
            }
        } catch (KubernetesClientException e) {
            log.atDebug().addKeyValue("error", e.getMessage()).log("cannot read the annotations of the PolicyServer");
        }
    }

    /**
     * Returns at once. {@link #isReady} returns true when the replica can serve requests. If the API server is unreachable,
     * the source keeps trying.
     */
    @Override
    public void start() {
        loop.start();
        // Read the terms of earlier leaders first: a new lease after a deleted one must start above them.
        revisions.start().thenRun(() -> {
            log.atInfo().addKeyValue("revisions", revisions.count()).log("revisions listed");
            leadership.start();
            loop.wake();
        });
    }

    private void reconcile() {
        if (!revisions.hasSynced()) {
            return;
        }
        var now = System.nanoTime();
        var isResyncDue = now - resyncAt >= 0;
        var nextResyncAt = isResyncDue ? now + RESYNC_INTERVAL.toNanos() : resyncAt;
        // If this pass throws, the next pass is a full resync.
        resyncAt = now;
        var changes = isResyncDue ? index.replace(revisions.all()) : index.update(revisions.changed());
        loadSpecs.evict(changes.deleted());
        replica.reconcile(index, changes, loadSpecs);
        leaderWork.reconcile(index, changes, loadSpecs);
        upkeep.runIfDue(
                index.all(), replica::digestsInUse, leadership.tenure().term().isPresent());
        if (release.isDue()) {
            Thread.ofVirtual().name("release-quarantine").start(this::releaseModules);
        }
        index.clearDeleted();
        resyncAt = nextResyncAt;
        replica.bootFailure().ifPresent(why -> failure.completeExceptionally(new IllegalStateException(why)));
        if (replica.isComplete() != wasReady) {
            wasReady = replica.isComplete();
            log.atInfo()
                    .addKeyValue("revisions", index.all().size())
                    .log(wasReady ? "replica ready" : "replica not ready: an active revision is not loaded");
        }
    }

    @Override
    public boolean isReady() {
        return replica.isComplete();
    }

    @Override
    public CompletableFuture<Void> failure() {
        return failure;
    }

    @Override
    public List<PolicyLoadState> states() {
        return replica.states();
    }

    /** Returns the ordinal of this replica. */
    public int replica() {
        return identity.replica();
    }

    /** Returns the revisions that this replica serves now, read from the routing table that requests use. */
    public Evidence evidence() {
        return new Evidence(identity.podUid(), identity.replica(), environment.proofs());
    }

    /** Releases the lease, so that another replica can lead while this one drains its requests. */
    @Override
    public void prepareShutdown() {
        leadership.close();
    }

    @Override
    public void close() {
        leadership.close();
        loop.close();
        initializers.shutdownNow();
        loaders.shutdownNow();
        revisions.close();
    }
}
