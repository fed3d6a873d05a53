package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.ManualClock;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.loop.Loop;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.evaluation.AlwaysAllowed;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import io.portcullis.server.source.PolicyLoadState.Phase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a replica whose loads and reports fail on demand. */
class ReplicaTest {

    private static final byte[] WASM = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final Duration MAX_BACKOFF = Duration.ofMinutes(6);

    private final ManualClock clock = new ManualClock();
    private final StoredRevisions stored = new StoredRevisions();
    private final RevisionIndex index = new RevisionIndex();
    private final PolicyLoadSpecs loadSpecs = new PolicyLoadSpecs(List.of());
    private final EvaluationEnvironment environment =
            new EvaluationEnvironment(EvaluationEnvironment.GenerationWait.NONE);
    private final AtomicReference<Runnable> beforeThread = new AtomicReference<>(() -> {});
    private final ExecutorService workers = Executors.newSingleThreadExecutor(task -> {
        beforeThread.getAndSet(() -> {}).run();
        return new Thread(task);
    });
    private final Loop loop = new Loop("test", this::reconcile, _ -> {});
    private final LoopbackModule module = new LoopbackModule(WASM);
    private final AtomicReference<Runnable> beforeLoad = new AtomicReference<>(() -> {});
    private Replica replica;

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        var modules = UntrustedModules.in(directory, module.transport(), () -> {
            throw new ArtifactException(ArtifactException.Reason.LOCAL_IO, "no key");
        });
        replica = new Replica(
                0,
                "pod",
                new RevisionLoader(
                        modules,
                        UntrustedModules.statements(clock),
                        new FaultyLoader(),
                        new LoadMetrics(new Metrics())),
                new ReplicaReporter(stored, 0, loop, clock),
                workers,
                loop,
                environment,
                clock,
                new Random(1));
    }

    @AfterEach
    void end() {
        loop.close();
        workers.shutdownNow();
        module.close();
    }

    private void reconcile() {
        replica.reconcile(index, index.update(stored.changed()), loadSpecs);
    }

    private ObservedRevision createInitialised(long generation) throws Exception {
        var wasm = module.url();
        var revision = stored.create(generation, wasm);
        return stored.write(
                revision,
                new PolicyRevisionStatus(
                        List.of(Condition.ofGeneration(
                                Reason.POLICY_INITIALIZED.type(),
                                generation,
                                Reason.POLICY_INITIALIZED.status(),
                                Reason.POLICY_INITIALIZED,
                                "")),
                        List.of(new Artifact(null, wasm, Digest.sha256(WASM), WASM.length)),
                        null,
                        null,
                        null,
                        null,
                        null));
    }

    private boolean isServed(long generation) {
        return environment.find(PolicyAddress.of("kw.cap.p", generation)).isPresent();
    }

    static Stream<Runnable> loadFaults() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("test");
                },
                () -> {
                    throw new AssertionError("test");
                },
                () -> {
                    throw new NoClassDefFoundError("test");
                },
                () -> {
                    throw new StackOverflowError("test");
                });
    }

    @ParameterizedTest
    @MethodSource("loadFaults")
    void reportsAndRetriesALoadThatFailsUnexpectedly(Runnable fault) throws Exception {
        beforeLoad.set(fault);
        var revision = createInitialised(1);
        loop.start();
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=LoadError"));
        assertThat(isServed(1)).isFalse();

        clock.pass(MAX_BACKOFF);
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady"));
        assertThat(isServed(1)).isTrue();
    }

    @Test
    void retriesAFailedLoadWhenTheWallClockIsSetBackByAnHour() throws Exception {
        beforeLoad.set(() -> {
            throw new IllegalStateException("test");
        });
        var revision = createInitialised(1);
        loop.start();
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=LoadError"));

        clock.stepWallClock(Duration.ofHours(-1));
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady"));
    }

    @Test
    void retriesAFailedReportWhenTheWallClockIsSetBackByAnHour() throws Exception {
        var revision = createInitialised(1);
        var failed = new CountDownLatch(1);
        stored.beforeNextWrite(() -> {
            failed.countDown();
            throw new KubernetesClientException("test");
        });
        loop.start();
        assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();

        clock.stepWallClock(Duration.ofHours(-1));
        await().untilAsserted(() -> {
            // The backoff after the failure may start only now.
            clock.pass(Duration.ofSeconds(1));
            assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady");
        });
    }

    @Test
    void reportsAndRetriesALoadWhoseThreadCannotStart() throws Exception {
        beforeThread.set(() -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        var revision = createInitialised(1);
        loop.start();
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=OutOfMemory"));

        clock.pass(MAX_BACKOFF);
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady"));
    }

    /** Otherwise the module of one tenant would block the policies of all others. */
    @Test
    void aStartingReplicaServesOtherPoliciesWhenAModuleCannotBePrepared() throws Exception {
        beforeLoad.set(() -> {
            throw PolicyLoadException.quarantined("d", "preparation failed: too large");
        });
        var revision = createInitialised(1);
        stored.activate(revision);
        loop.start();
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PreparationFailed"));
        await().untilAsserted(() -> assertThat(replica.isComplete()).isTrue());
        assertThat(replica.bootFailure()).isEmpty();
        assertThat(isServed(1)).isFalse();

        clock.pass(MAX_BACKOFF);
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady"));
    }

    @Test
    void aStartingReplicaExitsWhenAnActiveRevisionFailsForAnotherReason() throws Exception {
        beforeLoad.set(() -> {
            throw new PolicyLoadException(PolicyLoadException.Reason.LINK_ERROR, "no such import", null);
        });
        stored.activate(createInitialised(1));
        loop.start();
        await().untilAsserted(() -> assertThat(replica.bootFailure()).isPresent());
        assertThat(replica.isComplete()).isFalse();
    }

    /** Otherwise the process ends, and nothing in the cluster says why. */
    @Test
    void aStartingReplicaExitsOnlyAfterItsReportIsStored() throws Exception {
        repeat(beforeLoad::set, () -> {
            throw new PolicyLoadException(PolicyLoadException.Reason.LINK_ERROR, "no such import", null);
        });
        var isUnreachable = new AtomicBoolean(true);
        var failedWrites = new AtomicInteger();
        repeat(stored::beforeNextWrite, () -> {
            if (isUnreachable.get()) {
                failedWrites.incrementAndGet();
                throw new KubernetesClientException("the API server is unreachable");
            }
        });
        var revision = createInitialised(1);
        stored.activate(revision);
        loop.start();
        await().untilAsserted(() -> assertThat(replica.states()).anyMatch(state -> state.phase() == Phase.FAILED));
        var writesBefore = failedWrites.get();
        await().until(() -> {
            clock.pass(Duration.ofSeconds(1));
            return failedWrites.get() > writesBefore + 2;
        });
        assertThat(replica.bootFailure()).isEmpty();

        isUnreachable.set(false);
        await().until(() -> {
            clock.pass(Duration.ofSeconds(1));
            return replica.bootFailure().isPresent();
        });
        assertThat(stored.conditions(revision)).contains("Ready0=BootstrapLoadError");
    }

    /** Runs an action before every load or write, and not only before the next one. */
    private static void repeat(Consumer<Runnable> beforeNext, Runnable action) {
        beforeNext.accept(() -> {
            repeat(beforeNext, action);
            action.run();
        });
    }

    @Test
    void unloadsAnActiveRevisionWithARefusedSignatureAndStaysReady() throws Exception {
        var revision = createInitialised(1);
        stored.activate(revision);
        loop.start();
        await().untilAsserted(() -> assertThat(replica.isComplete()).isTrue());
        await().untilAsserted(() -> assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady"));

        refuseSignature(revision);
        loop.wake();
        await().untilAsserted(() -> assertThat(isServed(1)).isFalse());

        await().untilAsserted(() ->
                assertThat(stored.conditions(revision)).containsExactly("Initialized-1=SignatureVerificationError"));
        assertThat(replica.isComplete()).isTrue();
    }

    @Test
    void aStartingReplicaServesOtherRevisionsWhenASignatureIsRefused() throws Exception {
        var revision = createInitialised(1);
        stored.activate(revision);
        refuseSignature(revision);
        createInitialised(2);
        loop.start();

        await().untilAsserted(() -> assertThat(isServed(2)).isTrue());
        assertThat(isServed(1)).isFalse();
        assertThat(replica.isComplete()).isTrue();
        assertThat(replica.bootFailure()).isEmpty();
    }

    private void refuseSignature(ObservedRevision revision) {
        var ready = stored.read(revision.name()).orElseThrow().ready(0);
        var refused = Condition.ofGeneration(
                Reason.SIGNATURE_VERIFICATION_ERROR.type(),
                revision.generation(),
                Reason.SIGNATURE_VERIFICATION_ERROR.status(),
                Reason.SIGNATURE_VERIFICATION_ERROR,
                "");
        stored.write(
                revision,
                new PolicyRevisionStatus(
                        Stream.concat(Stream.of(refused), ready.stream()).toList(),
                        List.of(),
                        null,
                        null,
                        null,
                        null,
                        null));
    }

    /** Only fields of the webhook differ, so there is nothing to load. */
    @Test
    void servesARevisionWithEqualContentAtOnceAndReportsItAfterwards() throws Exception {
        var first = createInitialised(1);
        loop.start();
        await().untilAsserted(() -> assertThat(stored.conditions(first)).contains("Ready0=PolicyReady"));
        loop.close();

        var second = createInitialised(2);
        var wasServed = new AtomicReference<Boolean>();
        stored.beforeNextWrite(() -> wasServed.set(isServed(2)));
        reconcile();

        await().untilAsserted(() -> assertThat(stored.conditions(second)).contains("Ready0=PolicyReady"));
        assertThat(wasServed)
                .as("the controller moves the webhook after this report")
                .hasValue(true);
    }

    @Test
    void doesNotServeARevisionThatWasDeletedDuringItsLoad() throws Exception {
        var first = createInitialised(1);
        var loadStarted = new CountDownLatch(1);
        var deleted = new CountDownLatch(1);
        beforeLoad.set(() -> {
            loadStarted.countDown();
            awaitUnchecked(deleted);
        });
        loop.start();
        awaitUnchecked(loadStarted);
        stored.delete(first);
        await().untilAsserted(() -> {
            loop.wake();
            assertThat(replica.states()).isEmpty();
        });
        deleted.countDown();
        var second = createInitialised(2);
        await().untilAsserted(() -> assertThat(stored.conditions(second)).contains("Ready0=PolicyReady"));

        await().untilAsserted(() -> assertThat(isServed(1)).isFalse());
        assertThat(isServed(2)).isTrue();
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Throwable[] reportFaults() {
        return new Throwable[] {new IllegalStateException("test"), new AssertionError("test")};
    }

    @ParameterizedTest
    @MethodSource("reportFaults")
    void retriesAReportThatFailsUnexpectedly(Throwable fault) throws Exception {
        stored.beforeNextWrite(() -> ReplicaTest.<RuntimeException>raise(fault));
        var revision = createInitialised(1);
        loop.start();

        await().untilAsserted(() -> {
            clock.pass(MAX_BACKOFF);
            assertThat(stored.conditions(revision)).contains("Ready0=PolicyReady");
        });
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable fault) throws T {
        throw (T) fault;
    }

    private final class FaultyLoader implements PolicyLoader {

        @Override
        public LoadedPolicy load(String policyId, PolicyEntry entry, ModuleBytes modules) {
            beforeLoad.getAndSet(() -> {}).run();
            return new AlwaysAllowed();
        }

        @Override
        public void close() {}
    }
}
