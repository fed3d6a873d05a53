package io.portcullis.wasm.testing;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.WasmException;
import io.portcullis.wasm.wasi.Wasi;
import io.portcullis.wasm.wasi.WasiContext;
import io.portcullis.wasm.wasi.WasiGuest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A minimal waPC host for one instance. */
public final class WapcCall implements WasiGuest {

    private final byte[] operation;
    private final byte[] payload;
    private byte[] response = new byte[0];
    private String error = "";
    private final WasiContext wasi = WasiContext.minimal();

    public WapcCall(String operation, String payload) {
        this.operation = operation.getBytes(StandardCharsets.UTF_8);
        this.payload = payload.getBytes(StandardCharsets.UTF_8);
    }

    public static HostImports imports() {
        return HostImports.builder()
                .include(Wasi.imports())
                .function("wapc", "__guest_request", FunctionType.i32s(2, 0), (caller, arguments) -> {
                    caller.memory().write(arguments[1], of(caller).payload);
                    caller.memory().write(arguments[0], of(caller).operation);
                    return 0;
                })
                .function("wapc", "__guest_response", FunctionType.i32s(2, 0), (caller, arguments) -> {
                    of(caller).response = caller.memory().read(arguments[0], arguments[1]);
                    return 0;
                })
                .function("wapc", "__guest_error", FunctionType.i32s(2, 0), (caller, arguments) -> {
                    of(caller).error = text(caller.memory().read(arguments[0], arguments[1]));
                    return 0;
                })
                .function("wapc", "__console_log", FunctionType.i32s(2, 0), (caller, arguments) -> {
                    text(caller.memory().read(arguments[0], arguments[1]));
                    return 0;
                })
                .function("wapc", "__host_call", FunctionType.i32s(8, 1), (caller, arguments) -> {
                    for (var index = 0; index < arguments.length; index += 2) {
                        caller.memory().read(arguments[index], arguments[index + 1]);
                    }
                    return 0;
                })
                .function("wapc", "__host_response_len", FunctionType.i32s(0, 1), (_, _) -> 0)
                .function("wapc", "__host_response", FunctionType.i32s(1, 0), (_, _) -> 0)
                .function("wapc", "__host_error_len", FunctionType.i32s(0, 1), (_, _) -> 0)
                .function("wapc", "__host_error", FunctionType.i32s(1, 0), (_, _) -> 0)
                .build();
    }

    @Override
    public WasiContext wasi() {
        return wasi;
    }

    /** Runs the start-up, if the module still exports one, then the call. */
    public String startAndRun(LinkedModule module, Deadline deadline) {
        try (var instance = module.instantiate(SizeLimits.DEFAULT, deadline, this)) {
            for (var start : List.of("_start", "wapc_init")) {
                if (instance.exports(start)) {
                    startUntilExit(instance, start);
                }
            }
            var result = run(instance);
            return "%d %s %s".formatted(result, response(), error);
        } catch (WasmException failure) {
            return failure.toString();
        }
    }

    private static void startUntilExit(Instance instance, String start) {
        try {
            instance.call(start);
        } catch (GuestExitException exit) {
            if (exit.code() != 0) {
                throw exit;
            }
        }
    }

    /** @return the result of {@code __guest_call} */
    public long run(Instance instance) {
        return instance.call("__guest_call", operation.length, payload.length)[0];
    }

    public byte[] responseBytes() {
        return response;
    }

    public String response() {
        return new String(response, StandardCharsets.UTF_8);
    }

    public String error() {
        return error;
    }

    private static WapcCall of(Instance caller) {
        return (WapcCall) caller.state();
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException failure) {
            throw TrapException.byHost("not UTF-8");
        }
    }
}
