package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.HostCapabilities.HostCall;
import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.evaluator.runtime.TrapReport;
import io.portcullis.wasm.WasmException;
import io.portcullis.wasm.wasi.WasiContext;
import io.portcullis.wasm.wasi.WasiGuest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The waPC state of one instance: the current call and the last host call. Confined to the instance's thread. */
final class WapcCallState implements WasiGuest {

    private static final byte[] EMPTY = {};

    private final Caller caller;
    private final HostCapabilities capabilities;

    private byte[] operation = EMPTY;
    private byte[] payload = EMPTY;
    private byte @Nullable [] response;
    private @Nullable String error;
    private byte[] hostResponse = EMPTY;
    private byte[] hostError = EMPTY;
    private @Nullable WasiContext wasi;

    WapcCallState(Caller caller, HostCapabilities capabilities) {
        this.caller = caller;
        this.capabilities = capabilities;
    }

    String policyId() {
        return caller.policyId();
    }

    LogQuota logQuota() {
        return capabilities.logQuota();
    }

    /** Creates the WASI context on first use, because most policies never use WASI in a call. */
    @Override
    public WasiContext wasi() {
        var context = wasi;
        if (context == null) {
            context = WasiContext.minimal();
            wasi = context;
        }
        return context;
    }

    /** Logs the output of the guest, if the guest used WASI. */
    void logOutput() {
        if (wasi != null) {
            GuestOutput.log(policyId(), wasi, logQuota());
        }
    }

    /** Logs why the guest failed, and returns the text for the response. */
    String report(WasmException failure) {
        var standardError = wasi == null ? "" : new String(wasi.stderr().bytes(), StandardCharsets.UTF_8);
        var report = TrapReport.of(failure, standardError);
        report.log(policyId(), logQuota());
        return report.message();
    }

    /** Starts a call and clears the state of the previous call. */
    void beginCall(byte[] operation, byte[] payload) {
        this.operation = operation;
        this.payload = payload;
        response = null;
        error = null;
        hostResponse = EMPTY;
        hostError = EMPTY;
    }

    byte[] operation() {
        return operation;
    }

    byte[] payload() {
        return payload;
    }

    void setResponse(byte[] bytes) {
        response = bytes;
    }

    void setError(String text) {
        error = text;
    }

    /** @return whether the host answered; the answer or the error is then available to the guest */
    boolean callHost(String binding, String namespace, String operation, byte[] payload) {
        hostResponse = EMPTY;
        hostError = EMPTY;
        try {
            hostResponse = capabilities.call(new HostCall(caller, binding, namespace, operation, payload));
            return true;
        } catch (HostCallException e) {
            hostError = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            return false;
        }
    }

    byte[] hostResponse() {
        return hostResponse;
    }

    byte[] hostError() {
        return hostError;
    }

    /** @param success the result of {@code __guest_call} */
    GuestResult result(boolean success) {
        if (success && response != null) {
            return new GuestResult.Success(response);
        }
        if (error != null) {
            return new GuestResult.Failure(EvaluationFailure.GUEST_ERROR, error);
        }
        return new GuestResult.Failure(
                EvaluationFailure.INVALID_ANSWER,
                success
                        ? "No error message OR response set for call success"
                        : "No error message set for call failure");
    }
}
