package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.HostCapabilities.HostCall;
import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.wasm.wasi.WasiContext;
import io.portcullis.wasm.wasi.WasiGuest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** All that host and guest tell each other in one instance. Confined to the instance's thread. */
final class Conversation implements WasiGuest {

    private static final byte[] NOTHING = {};

    private final Caller caller;
    private final HostCapabilities capabilities;

    private byte[] operation = NOTHING;
    private byte[] payload = NOTHING;
    private byte @Nullable [] response;
    private @Nullable String error;
    private byte[] hostResponse = NOTHING;
    private byte[] hostError = NOTHING;
    private @Nullable WasiContext wasi;

    Conversation(Caller caller, HostCapabilities capabilities) {
        this.caller = caller;
        this.capabilities = capabilities;
    }

    String policyId() {
        return caller.policyId();
    }

    LogQuota logQuota() {
        return capabilities.logQuota();
    }

    /** Made when it is first asked for: most policies never touch WASI in a call. */
    @Override
    public WasiContext wasi() {
        var context = wasi;
        if (context == null) {
            context = WasiContext.minimal();
            wasi = context;
        }
        return context;
    }

    /** Passes on what the guest printed; nothing when it never touched WASI. */
    void logOutput() {
        if (wasi != null) {
            GuestOutput.log(policyId(), wasi, logQuota());
        }
    }

    /** Starts a call; nothing of an earlier one is left. */
    void ask(byte[] operation, byte[] payload) {
        this.operation = operation;
        this.payload = payload;
        response = null;
        error = null;
        hostResponse = NOTHING;
        hostError = NOTHING;
    }

    byte[] operation() {
        return operation;
    }

    byte[] payload() {
        return payload;
    }

    void respond(byte[] bytes) {
        response = bytes;
    }

    void fail(String text) {
        error = text;
    }

    /** @return whether the host could answer; the answer or the error is then ready to be fetched */
    boolean callHost(String binding, String namespace, String operation, byte[] payload) {
        hostResponse = NOTHING;
        hostError = NOTHING;
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

    /** @param success what {@code __guest_call} returned */
    GuestResult result(boolean success) {
        if (success && response != null) {
            return new GuestResult.Success(response);
        }
        if (error != null) {
            return new GuestResult.Failure(error);
        }
        return new GuestResult.Failure(
                success
                        ? "No error message OR response set for call success"
                        : "No error message set for call failure");
    }
}
