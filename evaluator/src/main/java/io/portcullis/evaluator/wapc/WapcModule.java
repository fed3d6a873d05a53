package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.GuestAnswers;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.ValidationPayload;
import io.portcullis.evaluator.wapc.WapcInstance.Operation;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A linked waPC module. Every call uses a fresh instance. */
final class WapcModule implements ExecutableModule {

    private static final Duration PROTOCOL_VERSION_TIMEOUT = Duration.ofSeconds(10);

    private final CompiledModule compiled;
    private final LinkedModule linked;
    private final HostCapabilities capabilities;

    WapcModule(CompiledModule compiled, LinkedModule linked, HostCapabilities capabilities) {
        this.compiled = compiled;
        this.linked = linked;
        this.capabilities = capabilities;
    }

    @Override
    public GuestOutcome evaluate(EvaluationRequest request, ModuleContext context) {
        return switch (call(Operation.VALIDATE, ValidationPayload.of(request, context.settings()), context)) {
            case GuestResult.Success(var response) -> parseAnswer(response);
            case GuestResult.Failure failure -> GuestOutcome.Failed.internal(failure.cause(), failure.message());
            case GuestResult.NotStarted failure -> GuestOutcome.Failed.internal(failure.cause(), failure.message());
            case GuestResult.TimedOut() -> new GuestOutcome.TimedOut();
        };
    }

    private static GuestOutcome parseAnswer(byte[] response) {
        try {
            return new GuestOutcome.Answered(GuestAnswers.validation(response));
        } catch (JsonException e) {
            return GuestOutcome.Failed.internal(
                    EvaluationFailure.INVALID_ANSWER, "invalid response from policy: " + e.problem());
        }
    }

    @Override
    public SettingsOutcome validateSettings(ModuleContext context) {
        return switch (call(Operation.VALIDATE_SETTINGS, context.settings(), context)) {
            case GuestResult.Success(var response) -> parseSettingsAnswer(response);
            case GuestResult.Failure failure -> invalidSettings(failure.message());
            case GuestResult.TimedOut() -> invalidSettings(DeadlineExceededException.MESSAGE);
            case GuestResult.NotStarted failure -> new SettingsOutcome.Unusable(failure.message());
        };
    }

    private static SettingsOutcome parseSettingsAnswer(byte[] response) {
        try {
            return GuestAnswers.settings(response);
        } catch (JsonException e) {
            return new SettingsOutcome.Invalid(Optional.of("error: " + e.problem()));
        }
    }

    private static SettingsOutcome invalidSettings(String why) {
        return new SettingsOutcome.Invalid(Optional.of("Error invoking settings validation callback: " + why));
    }

    ProtocolVersion protocolVersion() {
        var caller = new Caller("protocol_version", List.of(), Set.of(), Deadline.after(PROTOCOL_VERSION_TIMEOUT));
        var context = new ModuleContext(caller, new byte[0], SizeLimits.DEFAULT);
        return switch (call(Operation.PROTOCOL_VERSION, new byte[0], context)) {
            case GuestResult.Success(var response) -> protocolVersion(response);
            case GuestResult.Failure failure -> throw noVersion(failure.message());
            case GuestResult.NotStarted failure -> throw noVersion(failure.message());
            case GuestResult.TimedOut() -> throw noVersion(DeadlineExceededException.MESSAGE);
        };
    }

    private static ProtocolVersion protocolVersion(byte[] response) {
        var text = new String(response, StandardCharsets.UTF_8);
        return Arrays.stream(ProtocolVersion.values())
                .filter(version -> text.equals("\"" + version.wireName() + "\""))
                .findFirst()
                .orElseThrow(() -> noVersion("the answer is not a known version: " + text));
    }

    private static PolicyLoadException noVersion(String why) {
        return new PolicyLoadException(
                Reason.INVALID_MODULE, "cannot get the protocol version from the policy: " + why, null);
    }

    private GuestResult call(Operation operation, byte[] payload, ModuleContext context) {
        var state = new WapcCallState(context.caller(), capabilities);
        try (var guest = start(context, state)) {
            return guest.call(operation, payload);
        } catch (DeadlineExceededException e) {
            return new GuestResult.TimedOut();
        } catch (WasmException e) {
            return new GuestResult.NotStarted(EvaluationFailure.of(e), state.report(e));
        }
    }

    WapcInstance start(ModuleContext context) {
        return start(context, new WapcCallState(context.caller(), capabilities));
    }

    private WapcInstance start(ModuleContext context, WapcCallState state) {
        var deadline = context.caller().deadline();
        return WapcInstance.start(linked.instantiate(context.limits(), deadline, state), state);
    }

    @Override
    public void close() {
        linked.close();
        compiled.close();
    }
}
