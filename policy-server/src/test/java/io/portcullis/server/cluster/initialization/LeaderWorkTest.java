package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.artifacts.cache.SigningIdentity;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.core.tenancy.TenancyRules;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.process.leadership.Tenure;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.ManualClock;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.loop.Loop;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.SignedModules;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.settings.ClusterSettings.UnverifiedPolicies;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uses real parts, except for the API server and a signer that fails on demand. */
class LeaderWorkTest {

    private static final Duration MAX_BACKOFF = Duration.ofMinutes(6);

    private final ManualClock clock = new ManualClock();
    private final Tenure tenure = new Tenure(clock::nanos);
    private final StoredRevisions stored = new StoredRevisions();
    private final RevisionIndex index = new RevisionIndex();
    private final PolicyLoadSpecs loadSpecs = new PolicyLoadSpecs(List.of());
    private final ExecutorService workers = Executors.newSingleThreadExecutor();
    private final Loop loop = new Loop("test", () -> {}, _ -> {});
    private final AtomicReference<Supplier<SigningIdentity>> signer = new AtomicReference<>(LeaderWorkTest::noKey);
    /** An invalid module, so that its initialisation fails. */
    private final LoopbackModule module = new LoopbackModule(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0, 99});

    private final AtomicReference<Tenancy> rules = new AtomicReference<>(Tenancy.DEFAULT);
    private final TenancySource tenancy = new TenancySource() {
        @Override
        public TenancyRules rules() {
            return new TenancyRules("s", rules.get(), false);
        }

        @Override
        public Optional<Map<String, String>> namespaceLabels(String namespace) {
            return Optional.empty();
        }
    };
    private LeaderWork work;

    @TempDir
    Path directory;

    @BeforeEach
    void start() {
        var modules = UntrustedModules.in(
                directory, module.transport(), () -> signer.get().get());
        var statements = UntrustedModules.statements(clock);
        var loader = WasmPolicyLoader.forAllExecutionModes(
                WasmEngines.endive(),
                CompiledModuleCache.NONE,
                GatedHostCapabilities.withoutBackend(PolicyLog.slf4j()),
                clock,
                new EvaluationLimits(SizeLimits.DEFAULT, Optional.empty()));
        work = new LeaderWork(
                tenure,
                new TenancyCheck(tenancy),
                new Initializer(modules, loader, new LoadMetrics(new Metrics())),
                new SignedModules(statements, modules),
                new SignatureCheck(modules, UnverifiedPolicies.KEEP),
                new LeaderReports(stored, tenure, statements, "pod"),
                workers,
                loop,
                clock,
                new Random(1));
        loop.start();
        tenure.hold(1, clock.nanos());
    }

    @AfterEach
    void end() {
        loop.close();
        workers.shutdownNow();
        module.close();
    }

    private static SigningIdentity noKey() {
        throw new ArtifactException(ArtifactException.Reason.LOCAL_IO, "no key");
    }

    private ObservedRevision revision() {
        return stored.create(1, module.url());
    }

    /** Runs one reconcile pass and waits for the tasks that it starts. */
    private void reconcile() throws Exception {
        var reconciled = new CompletableFuture<Void>();
        loop.post(() -> {
            work.reconcile(index, index.update(stored.changed()), loadSpecs);
            reconciled.complete(null);
        });
        reconciled.get();
        workers.submit(() -> {}).get();
    }

    private Condition initialized(ObservedRevision revision) {
        return stored.read(revision.name()).orElseThrow().initialized().orElseThrow();
    }

    @Test
    void reportsARevisionAfterTheTermLapsedForAMoment() throws Exception {
        var revision = revision();
        signer.set(() -> {
            clock.pass(Duration.ofSeconds(11));
            return noKey();
        });
        reconcile();
        assertThat(stored.conditions(revision)).isEmpty();

        // The lease was renewed late, and the loop has not observed the gap.
        tenure.hold(1, clock.nanos());
        signer.set(LeaderWorkTest::noKey);
        await().untilAsserted(() -> {
            reconcile();
            assertThat(stored.conditions(revision)).contains("Scheduled-1=PolicyScheduled");
        });
    }

    @Test
    void checksTheTenancyRulesBeforeFetchingAndAgainAfterABackoff() throws Exception {
        rules.set(new Tenancy(
                null,
                new Tenancy.ModuleSources(List.of("registry"), null, null),
                false,
                null,
                null,
                null,
                List.of(),
                null));
        var revision = revision();
        await().untilAsserted(() -> {
            reconcile();
            assertThat(initialized(revision).reason()).isEqualTo("TenancyViolation");
        });
        assertThat(initialized(revision).message())
                .contains("tenancy rule moduleSources.schemes of PolicyServer s", "allowed: registry");

        rules.set(Tenancy.DEFAULT);
        await().untilAsserted(() -> {
            // Inside this block, because the backoff may start after the awaited report.
            clock.pass(Duration.ofMinutes(1));
            tenure.hold(1, clock.nanos());
            reconcile();
            assertThat(initialized(revision).reason()).isNotEqualTo("TenancyViolation");
        });
    }

    @Test
    void reportsASlowInitialisationAsInProgress() throws Exception {
        var revision = revision();
        signer.set(() -> {
            await().untilAsserted(() -> assertThat(stored.conditions(revision))
                    .containsExactlyInAnyOrder("Scheduled-1=PolicyScheduled", "Initialized-1=Initializing"));
            return noKey();
        });

        reconcile();

        assertThat(stored.conditions(revision))
                .containsExactlyInAnyOrder("Scheduled-1=PolicyScheduled", "Initialized-1=PrecompilationError");
    }

    static Throwable[] faults() {
        return new Throwable[] {
            new IllegalStateException("test"), new AssertionError("test"), new StackOverflowError("test")
        };
    }

    @ParameterizedTest
    @MethodSource("faults")
    void retriesAReportThatCouldNotBeWritten(Throwable fault) throws Exception {
        var revision = revision();
        stored.beforeNextWrite(() -> LeaderWorkTest.<RuntimeException>raise(fault));
        reconcile();
        assertThat(stored.conditions(revision)).isEmpty();

        await().untilAsserted(() -> {
            clock.pass(MAX_BACKOFF);
            tenure.hold(1, clock.nanos());
            reconcile();
            assertThat(stored.conditions(revision)).contains("Scheduled-1=PolicyScheduled");
        });
    }

    @ParameterizedTest
    @MethodSource("faults")
    void reportsAndRetriesUnexpectedErrors(Throwable fault) throws Exception {
        var revision = revision();
        signer.set(() -> {
            LeaderWorkTest.<RuntimeException>raise(fault);
            throw new AssertionError("unreachable");
        });
        reconcile();
        assertThat(stored.conditions(revision))
                .containsExactlyInAnyOrder("Scheduled-1=PolicyScheduled", "Initialized-1=InternalError");
        assertThat(initialized(revision).message()).contains(fault.toString());

        signer.set(LeaderWorkTest::noKey);
        await().untilAsserted(() -> {
            clock.pass(MAX_BACKOFF);
            tenure.hold(1, clock.nanos());
            reconcile();
            assertThat(stored.conditions(revision)).contains("Initialized-1=PrecompilationError");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void retriesAFailureWhenTheWallClockStepsByAnHour(int hours) throws Exception {
        var revision = revision();
        signer.set(() -> {
            throw new IllegalStateException("test");
        });
        reconcile();
        assertThat(stored.conditions(revision)).contains("Initialized-1=InternalError");
        reconcile(); // Now the backoff has started.

        signer.set(LeaderWorkTest::noKey);
        clock.stepWallClock(Duration.ofHours(hours));
        assertThat(tenure.isTerm(1)).as("still the leader").isTrue();
        await().untilAsserted(() -> {
            // Longer than the first backoff, and much shorter than the clock step.
            clock.pass(Duration.ofSeconds(10));
            tenure.hold(1, clock.nanos());
            reconcile();
            assertThat(stored.conditions(revision)).contains("Initialized-1=PrecompilationError");
        });
    }

    @Test
    void hidesCredentialsInUnexpectedErrors() throws Exception {
        var revision = revision();
        signer.set(() -> {
            throw new IllegalStateException("cannot ask https://user:secret@registry.example/v2?token=secret");
        });
        reconcile();
        assertThat(initialized(revision).message())
                .contains("IllegalStateException: cannot ask https://registry.example/v2")
                .doesNotContain("secret");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable fault) throws T {
        throw (T) fault;
    }
}
