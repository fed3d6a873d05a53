package io.portcullis.evaluator.wasi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests section 2.3: the results of commands that fail. */
class WasiRuntimeTest {

    private static final EvaluationRequest REQUEST = new EvaluationRequest.Raw("u", new byte[] {'{', '}'});

    private static WasmEngine engine;

    @BeforeAll
    static void start() {
        engine = WasmEngines.best();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private static WasiRuntime runtime() {
        return new WasiRuntime(GatedHostCapabilities.withoutBackend(PolicyLog.slf4j()));
    }

    private static byte[] guest(String name) throws IOException {
        return Files.readAllBytes(Path.of("..", "policies", "misbehaving", name + ".wasm"));
    }

    private static ModuleContext context(Deadline deadline) {
        return new ModuleContext(
                new Caller("p", List.of(), Set.of(), deadline), new byte[] {'{', '}'}, SizeLimits.DEFAULT);
    }

    private static GuestOutcome evaluate(String name) throws IOException {
        try (var module = runtime().link(engine.compile(guest(name)))) {
            return module.evaluate(REQUEST, context(Deadline.after(Duration.ofMillis(200))));
        }
    }

    @Test
    void logLinesOnStandardOutputMakeTheAnswerInvalid() throws IOException {
        assertThat(evaluate("wasi-prints-logs"))
                .isInstanceOfSatisfying(
                        GuestOutcome.Failed.class,
                        failed -> assertThat(failed.message())
                                .startsWith("internal server error: Cannot deserialize policy validation response: "));
    }

    @Test
    void stopsAnEndlessCommandAtTheDeadline() throws IOException {
        assertThat(evaluate("wasi-endless-loop")).isEqualTo(new GuestOutcome.TimedOut());
    }

    @Test
    void reportsTheExitCodeOfACommandWithoutOutput() throws IOException {
        assertThat(evaluate("wasi-exit-seven"))
                .isEqualTo(new GuestOutcome.Failed(EvaluationFailure.GUEST_ERROR, "policy exited with code 7"));
        assertThat(evaluate("wasi-trap"))
                .isInstanceOfSatisfying(
                        GuestOutcome.Failed.class,
                        failed -> assertThat(failed.message()).containsIgnoringCase("unreachable"));
    }

    @Test
    void settingsAreInvalidWhenTheCommandFails() throws IOException {
        try (var module = runtime().link(engine.compile(guest("wasi-endless-loop")))) {
            assertThat(module.validateSettings(context(Deadline.after(Duration.ofMillis(50)))))
                    .isEqualTo(new SettingsOutcome.Invalid(Optional.of(DeadlineExceededException.MESSAGE)));
        }
        try (var module = runtime().link(engine.compile(guest("wasi-prints-logs")))) {
            assertThat(module.validateSettings(context(Deadline.NONE)))
                    .isInstanceOfSatisfying(
                            SettingsOutcome.Invalid.class,
                            invalid -> assertThat(invalid.message())
                                    .hasValueSatisfying(message -> assertThat(message)
                                            .startsWith("Cannot deserialize settings validation response: ")));
        }
    }

    @Test
    void rejectsAModuleWithoutStart() throws IOException {
        var module = engine.compile(guest("wasi-no-start"));

        assertThatThrownBy(() -> runtime().link(module))
                .isInstanceOf(PolicyLoadException.class)
                .hasMessageStartingWith("cannot find `_start` function inside of module");
    }
}
