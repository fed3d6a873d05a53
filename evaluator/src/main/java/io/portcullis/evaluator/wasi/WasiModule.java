package io.portcullis.evaluator.wasi;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.GuestAnswers;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.TrapReport;
import io.portcullis.evaluator.runtime.ValidationPayload;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.WasmException;
import io.portcullis.wasm.wasi.CapturedOutput;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A linked WASI command. Every call runs in a fresh instance. */
final class WasiModule implements ExecutableModule {

    private static final Logger log = LoggerFactory.getLogger(WasiModule.class);

    private final CompiledModule compiled;
    private final LinkedModule linked;
    private final HostCapabilities capabilities;

    WasiModule(CompiledModule compiled, LinkedModule linked, HostCapabilities capabilities) {
        this.compiled = compiled;
        this.linked = linked;
        this.capabilities = capabilities;
    }

    @Override
    public GuestOutcome evaluate(EvaluationRequest request, ModuleContext context) {
        return switch (run("validate", ValidationPayload.of(request, context.settings()), context)) {
            case RunResult.Finished(var output) -> parseAnswer(output);
            case RunResult.Failed(var cause, var text) -> new GuestOutcome.Failed(cause, text);
            case RunResult.TimedOut() -> new GuestOutcome.TimedOut();
        };
    }

    private static GuestOutcome parseAnswer(byte[] output) {
        try {
            return new GuestOutcome.Answered(GuestAnswers.validation(output));
        } catch (JsonException e) {
            return GuestOutcome.Failed.internal(
                    EvaluationFailure.INVALID_ANSWER, "Cannot deserialize policy validation response: " + e.problem());
        }
    }

    @Override
    public SettingsOutcome validateSettings(ModuleContext context) {
        return switch (run("validate-settings", context.settings(), context)) {
            case RunResult.Finished(var output) -> parseSettingsAnswer(output);
            case RunResult.Failed(var _, var text) -> new SettingsOutcome.Invalid(Optional.of(text));
            case RunResult.TimedOut() -> new SettingsOutcome.Invalid(Optional.of(DeadlineExceededException.MESSAGE));
        };
    }

    private static SettingsOutcome parseSettingsAnswer(byte[] output) {
        try {
            return GuestAnswers.settings(output);
        } catch (JsonException e) {
            return new SettingsOutcome.Invalid(
                    Optional.of("Cannot deserialize settings validation response: " + e.problem()));
        }
    }

    private RunResult run(String command, byte[] input, ModuleContext context) {
        var process = WasiProcess.start(command, input, context.caller(), capabilities);
        try (var instance =
                linked.instantiate(context.limits(), context.caller().deadline(), process)) {
            instance.call(WasiRuntime.START);
            return finished(process);
        } catch (GuestExitException e) {
            return e.code() == 0 ? finished(process) : failed(process, e, "policy exited with code " + e.code());
        } catch (DeadlineExceededException e) {
            return new RunResult.TimedOut();
        } catch (WasmException e) {
            var report = TrapReport.of(e, "");
            report.log(process.caller().policyId(), capabilities.logQuota());
            return failed(process, e, report.message());
        }
    }

    private static RunResult finished(WasiProcess process) {
        var stdout = process.wasi().stdout();
        if (stdout.isTruncated()) {
            return new RunResult.Failed(
                    EvaluationFailure.INVALID_ANSWER,
                    "policy wrote more than " + stdout.size() + " bytes to standard output");
        }
        try {
            decode(stdout);
            var errors = decode(process.wasi().stderr()).strip();
            logErrors(process, errors);
            return new RunResult.Finished(stdout.bytes());
        } catch (CharacterCodingException e) {
            return new RunResult.Failed(
                    EvaluationFailure.INVALID_ANSWER, "stdout pipe conversion error: invalid utf-8 sequence");
        }
    }

    private static void logErrors(WasiProcess process, String errors) {
        if (errors.isEmpty()) {
            return;
        }
        var policyId = process.caller().policyId();
        process.capabilities()
                .logQuota()
                .admit(policyId, errors)
                .ifPresent(text -> log.atWarn()
                        .addKeyValue("policy_id", policyId)
                        .addKeyValue("text", text)
                        .log("policy wrote to standard error"));
    }

    private static RunResult failed(WasiProcess process, WasmException failure, String fallback) {
        var cause = EvaluationFailure.of(failure);
        try {
            var errors = decode(process.wasi().stderr()).strip();
            logErrors(process, errors);
            return new RunResult.Failed(cause, errors.isEmpty() ? fallback : errors);
        } catch (CharacterCodingException e) {
            return new RunResult.Failed(cause, "stderr pipe conversion error: invalid utf-8 sequence");
        }
    }

    private static String decode(CapturedOutput output) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(output.bytes()))
                .toString();
    }

    @Override
    public void close() {
        linked.close();
        compiled.close();
    }
}
