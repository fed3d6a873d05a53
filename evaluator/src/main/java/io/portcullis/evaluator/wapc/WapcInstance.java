package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.WasmException;
import java.nio.charset.StandardCharsets;

/** A started guest instance. Confined to the thread that created it. */
final class WapcInstance implements AutoCloseable {

    /** An operation that the host can call. */
    record Operation(byte[] name) {

        static final Operation VALIDATE = named("validate");
        static final Operation VALIDATE_SETTINGS = named("validate_settings");
        static final Operation PROTOCOL_VERSION = named("protocol_version");

        private static Operation named(String name) {
            return new Operation(name.getBytes(StandardCharsets.US_ASCII));
        }
    }

    static final String GUEST_CALL = "__guest_call";

    private final Instance instance;
    private final WapcCallState conversation;

    private WapcInstance(Instance instance, WapcCallState conversation) {
        this.instance = instance;
        this.conversation = conversation;
    }

    /**
     * Runs the guest's start-up functions: {@code _start}, or {@code _initialize} of reactor modules, then {@code
     * wapc_init}. A module that was initialised ahead of time exports none of them.
     *
     * @throws WasmException if the start-up fails; the instance is then closed
     */
    static WapcInstance start(Instance instance, WapcCallState conversation) {
        try {
            initialise(instance, instance.exports("_start") ? "_start" : "_initialize");
            initialise(instance, "wapc_init");
            return new WapcInstance(instance, conversation);
        } catch (WasmException e) {
            conversation.logOutput();
            instance.close();
            throw e;
        }
    }

    private static void initialise(Instance instance, String function) {
        if (!instance.exports(function)) {
            return;
        }
        try {
            instance.call(function);
        } catch (GuestExitException e) {
            if (e.code() != 0) {
                throw e;
            }
        }
    }

    GuestResult call(Operation operation, byte[] payload) {
        conversation.beginCall(operation.name, payload);
        try {
            long[] results = instance.call(GUEST_CALL, operation.name.length, payload.length);
            return conversation.result((int) results[0] != 0);
        } catch (DeadlineExceededException e) {
            return new GuestResult.TimedOut();
        } catch (WasmException e) {
            return new GuestResult.Failure(EvaluationFailure.of(e), conversation.report(e));
        }
    }

    @Override
    public void close() {
        conversation.logOutput();
        instance.close();
    }
}
