package io.portcullis.evaluator.wasi;

import static io.portcullis.evaluator.runtime.GuestArguments.bytes;
import static io.portcullis.evaluator.runtime.GuestArguments.name;

import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;

/**
 * The function that WASI guests import to call their host, under its two names. Success is 0, unlike in waPC. The host
 * writes the answer or the error text to the guest's standard input.
 */
final class HostCallImports {

    private static final FunctionType TYPE = FunctionType.i32s(8, 1);

    private HostCallImports() {}

    static HostImports all() {
        return HostImports.builder()
                .function("host", "call", TYPE, HostCallImports::call)
                .function("kubewarden:javy/host", "call", TYPE, HostCallImports::call)
                .build();
    }

    private static long call(Instance guest, long[] arguments) {
        boolean answered = ((WasiProcess) guest.state())
                .callHost(
                        name(guest, arguments, 0),
                        name(guest, arguments, 2),
                        name(guest, arguments, 4),
                        bytes(guest, arguments, 6));
        return answered ? 0 : 1;
    }
}
