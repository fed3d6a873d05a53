package io.portcullis.evaluator.wasi;

import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.HostCapabilities.HostCall;
import io.portcullis.wasm.wasi.WasiContext;
import io.portcullis.wasm.wasi.WasiGuest;
import java.nio.charset.StandardCharsets;

/** The process state of a guest: its streams, and the caller of its host calls. One per instance. */
record WasiProcess(WasiContext wasi, Caller caller, HostCapabilities capabilities) implements WasiGuest {

    /**
     * The maximum size of an answer. An answer contains the whole mutated object; an API server accepts at most 3 MiB.
     */
    private static final int MAX_ANSWER_BYTES = 8 << 20;

    static WasiProcess start(String command, byte[] input, Caller caller, HostCapabilities capabilities) {
        var wasi = WasiContext.builder()
                .streams(WasiContext.Streams.PIPES)
                .arguments("policy.wasm", command)
                .stdoutLimit(MAX_ANSWER_BYTES)
                .build();
        wasi.stdin().append(input);
        return new WasiProcess(wasi, caller, capabilities);
    }

    /** @return whether the host answered */
    boolean callHost(String binding, String namespace, String operation, byte[] payload) {
        try {
            wasi.stdin().append(capabilities.call(new HostCall(caller, binding, namespace, operation, payload)));
            return true;
        } catch (HostCallException e) {
            wasi.stdin().append(String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
            return false;
        }
    }
}
