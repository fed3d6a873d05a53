package io.portcullis.evaluator.runtime;

import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a guest hands to a host function as address and length. Both are unsigned; a range outside of the memory,
 * text that is not UTF-8, or more than {@link #LIMIT} bytes end the guest.
 */
public final class GuestArguments {

    /** No answer or payload of a policy comes near it; more would let a guest fill the host's heap. */
    public static final long LIMIT = 16L << 20;

    private GuestArguments() {}

    public static String text(Instance guest, long[] arguments, int at) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(guest, arguments, at)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw TrapException.byHost("invalid UTF-8 in text from the guest");
        }
    }

    public static byte[] bytes(Instance guest, long[] arguments, int at) {
        long length = unsigned(arguments[at + 1]);
        if (length > LIMIT) {
            throw TrapException.byHost("guest hands over " + length + " bytes, more than the limit of " + LIMIT);
        }
        return guest.memory().read(unsigned(arguments[at]), length);
    }

    public static long unsigned(long i32) {
        return i32 & 0xffff_ffffL;
    }
}
