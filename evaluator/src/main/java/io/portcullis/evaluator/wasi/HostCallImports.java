package io.portcullis.evaluator.wasi;

import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The one function by which WASI guests call their host, under the two names it is known by. Success is 0, unlike in
 * waPC; the answer or the error text goes to the guest's standard input.
 */
final class HostCallImports {

    private static final long LARGEST_PAYLOAD = 16L << 20;
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
                        text(guest, arguments, 0),
                        text(guest, arguments, 2),
                        text(guest, arguments, 4),
                        bytes(guest, arguments, 6));
        return answered ? 0 : 1;
    }

    private static String text(Instance guest, long[] arguments, int at) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(guest, arguments, at)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw TrapException.byHost("invalid UTF-8 in the name of a host call");
        }
    }

    private static byte[] bytes(Instance guest, long[] arguments, int at) {
        long length = unsigned(arguments[at + 1]);
        if (length > LARGEST_PAYLOAD) {
            throw TrapException.byHost(
                    "guest hands over " + length + " bytes, more than the limit of " + LARGEST_PAYLOAD);
        }
        return guest.memory().read(unsigned(arguments[at]), length);
    }

    private static long unsigned(long i32) {
        return i32 & 0xffff_ffffL;
    }
}
