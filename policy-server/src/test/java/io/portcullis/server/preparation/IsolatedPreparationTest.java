package io.portcullis.server.preparation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.ModulePreparation.Job;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.server.preparation.child.ChildCommand;
import io.portcullis.server.preparation.child.PreparationLimits;
import io.portcullis.server.preparation.quarantine.Quarantine;
import io.portcullis.server.preparation.quarantine.QuarantineFile;
import io.portcullis.testkit.hostile.HostileModules;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.wasmtime.WasmtimeLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses real child processes with real limits. */
@SuppressWarnings("NullAway.Init") // set by each test
class IsolatedPreparationTest {

    private static final String DIGEST = "a".repeat(64);
    private static final PreparationLimits LIMITS =
            new PreparationLimits(200L << 20, Duration.ofMinutes(2), 29L << 20, 1);

    private static WasmEngine engine;
    private static String fingerprint;

    private final Metrics metrics = new Metrics();
    private IsolatedPreparation preparation;

    @TempDir
    Path directory;

    @BeforeAll
    static void load() throws IOException {
        engine = WasmEngines.best();
        fingerprint = fingerprint(engine, sample("privileged-pods"));
    }

    private static String fingerprint(WasmEngine engine, byte[] wasm) {
        return WasmPolicyLoader.forAllExecutionModes(
                        engine,
                        CompiledModuleCache.NONE,
                        _ -> {
                            throw new HostCallException("none");
                        },
                        Clock.systemUTC(),
                        EvaluationLimits.DEFAULT)
                .fingerprint(wasm);
    }

    @AfterAll
    static void unload() {
        engine.close();
    }

    @AfterEach
    void end() {
        preparation.close();
    }

    private static byte[] sample(String policy) throws IOException {
        return Files.readAllBytes(Path.of("..", "policies", policy, "policy.wasm"));
    }

    private void start(PreparationLimits limits) {
        start(limits, ChildCommand.of(System.getProperties(), System.getenv(), limits));
    }

    private void start(PreparationLimits limits, List<String> command) {
        preparation = new IsolatedPreparation(
                limits,
                false,
                command,
                Duration.ofMinutes(1),
                new Quarantine("test", Clock.systemUTC(), new QuarantineFile(directory.resolve("quarantine.tsv"))),
                metrics);
    }

    private static Job job(byte[] wasm) {
        return new Job(DIGEST, wasm, ExecutionMode.KUBEWARDEN_WAPC, fingerprint, Optional.empty());
    }

    private String failure(byte[] wasm) {
        var thrown = org.assertj.core.api.Assertions.catchThrowableOfType(
                PolicyLoadException.class, () -> preparation.prepare(job(wasm)));
        assertThat(thrown.reason()).isEqualTo(Reason.PREPARATION_FAILED);
        return String.valueOf(thrown.getMessage());
    }

    private String exposed() {
        return PrometheusText.render(metrics);
    }

    @Test
    void preparesAModuleThatTheServersEngineLoads() throws IOException {
        start(LIMITS);
        var wasm = sample("privileged-pods");
        var job = new Job(
                DIGEST,
                wasm,
                PolicyMetadata.ofServable(wasm).executionMode(),
                fingerprint,
                Optional.of(new Trial(new byte[] {'{', '}'}, Duration.ofSeconds(10))));
        try (var module = engine.load(preparation.prepare(job))) {
            assertThat(module.exports("__guest_call")).isTrue();
        }
        assertThat(exposed()).contains("kubewarden_preparations_total{result=\"prepared\"} 1");
        assertThat(preparation.quarantine().held()).isEmpty();
    }

    @Test
    void usesTheFallbackEngineOfTheServer() throws IOException {
        var missing = Map.of(WasmtimeLocation.LIBRARY, "/nowhere");
        start(LIMITS, ChildCommand.of(System.getProperties(), missing, LIMITS));
        try (var endive = WasmEngines.endive()) {
            var wasm = sample("privileged-pods");
            var job = new Job(DIGEST, wasm, ExecutionMode.KUBEWARDEN_WAPC, fingerprint(endive, wasm), Optional.empty());
            try (var module = endive.load(preparation.prepare(job))) {
                assertThat(module.exports("__guest_call")).isTrue();
            }
        }
    }

    @Test
    void reportsWhyAModuleIsInvalid() {
        start(LIMITS);
        assertThatThrownBy(() -> preparation.prepare(job(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0, 1})))
                .isInstanceOfSatisfying(
                        PolicyLoadException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_MODULE));
        assertThat(preparation.quarantine().held()).isEmpty();
    }

    @Test
    void stopsAnExpensiveCompilationAtTheMemoryLimit() {
        start(LIMITS);
        assertThat(failure(HostileModules.expensiveToCompile(10, 100_000, 400)))
                .contains("more than 200 MiB", "--preparation-memory", "quarantined until");
        assertThat(exposed())
                .contains("kubewarden_preparations_total{result=\"memory\"} 1", "kubewarden_quarantined_modules 1");
    }

    @Test
    void doesNotStartAProcessForAQuarantinedModule() {
        start(LIMITS, List.of("/bin/false"));
        assertThat(failure(new byte[8])).contains("exit code 1");
        assertThat(failure(new byte[8])).contains("exit code 1", "quarantined until");
        assertThat(exposed())
                .contains(
                        "kubewarden_preparations_total{result=\"crash\"} 1",
                        "kubewarden_preparations_total{result=\"quarantined\"} 1");
    }

    /** The result for the module does not matter; the server must survive. */
    @Test
    void survivesModulesThatDeclareHugeSizes() {
        start(LIMITS);
        for (var wasm : List.of(HostileModules.hugeNameSection(), HostileModules.largeMemory(4096))) {
            try {
                assertThat(preparation.prepare(job(wasm))).isNotEmpty();
            } catch (PolicyLoadException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            preparation.quarantine().release(DIGEST);
        }
    }

    @Test
    void stopsAPreparationAtItsTimeout() {
        start(new PreparationLimits(200L << 20, Duration.ofSeconds(1), 29L << 20, 1), List.of("/bin/sleep", "600"));
        assertThat(failure(new byte[1 << 20])).contains("more than 1 s", "--preparation-timeout");
        assertThat(exposed()).contains("kubewarden_preparations_total{result=\"timeout\"} 1");
    }

    @Test
    void refusesCompiledCodeThatIsLargerThanAllowed() throws IOException {
        start(new PreparationLimits(200L << 20, Duration.ofMinutes(2), 1 << 10, 1));
        assertThat(failure(sample("privileged-pods"))).contains("larger than", "--compiled-code-memory");
    }

    @Test
    void refusesGarbageInsteadOfAResult() {
        start(LIMITS, List.of("/bin/sh", "-c", "cat >/dev/null & echo this is no result"));
        assertThat(failure(new byte[8])).contains("no valid result");
        assertThat(exposed()).contains("kubewarden_preparations_total{result=\"invalid-result\"} 1");
    }

    @Test
    void doesNotReadAnEndlessResult() {
        start(LIMITS, List.of("/bin/sh", "-c", "cat /dev/zero"));
        assertThat(failure(new byte[8])).contains("no valid result");
    }

    @Test
    void reportsAProcessThatIsKilledDuringItsWork() throws Exception {
        start(LIMITS, List.of("/bin/sleep", "600"));
        var before = children();
        var work = CompletableFuture.supplyAsync(() -> failure(new byte[1 << 20]));
        var child = awaitChild(before);
        child.destroyForcibly();
        assertThat(work.get()).contains("killed from outside");
    }

    private static List<ProcessHandle> children() {
        return ProcessHandle.current().children().toList();
    }

    private static ProcessHandle awaitChild(List<ProcessHandle> before) {
        while (true) {
            var found = ProcessHandle.current()
                    .children()
                    .filter(child -> !before.contains(child))
                    .filter(child -> child.info().command().orElse("").contains("sleep"))
                    .findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void doesNotBlameTheModuleWhenNoProcessStarts() {
        start(LIMITS, List.of("/nowhere/java"));
        assertThat(failure(new byte[8])).contains("could not be started").doesNotContain("quarantined");
        assertThat(preparation.quarantine().held()).isEmpty();
    }

    @Test
    void givesTheChildNoEnvironment() {
        start(
                LIMITS,
                List.of("/bin/sh", "-c", "env | grep -v -e RAYON -e MALLOC -e PWD -e SHLVL -e '^_=' >&2; exit 1"));
        assertThat(failure(new byte[8])).contains("exit code 1").doesNotContain("exit code 1:");
    }

    @Test
    void cancelsAPreparationWhenInterrupted() throws Exception {
        start(LIMITS, List.of("/bin/sleep", "600"));
        var outcome = new CompletableFuture<String>();
        var before = children();
        var worker = Thread.ofPlatform().start(() -> outcome.complete(failure(new byte[1 << 20])));
        var child = awaitChild(before);
        worker.interrupt();
        assertThat(outcome.get()).contains("cancelled");
        assertThat(child.onExit().get().isAlive()).isFalse();
        assertThat(preparation.quarantine().held()).isEmpty();
    }

    @Test
    void killsAllChildrenOnClose() {
        start(LIMITS, List.of("/bin/sleep", "600"));
        var before = children();
        preparation.expectWork();
        var child = awaitChild(before);
        preparation.close();
        assertThat(child.onExit().join().isAlive()).isFalse();
    }
}
