package io.portcullis.evaluator.runtime;

import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads arguments that a guest passes to a host function as address and length. Both are unsigned. A range outside of
 * the memory, text that is not UTF-8, or more than {@link #LIMIT} bytes trap the guest.
 */
public final class GuestArguments {

    /**
     * The maximum argument size. An API server accepts no object of more than 3 MiB; a larger limit would let a guest
     * fill the host's heap.
     */
    public static final long LIMIT = 8L << 20;

    /** The maximum size of binding, namespace and operation names, which are short. */
    private static final long MAX_NAME_BYTES = 1 << 10;

    private GuestArguments() {}

    /** Reads the name of a binding, namespace or operation. */
    public static String name(Instance guest, long[] arguments, int at) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes(guest, arguments, at, MAX_NAME_BYTES)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw TrapException.byHost("invalid UTF-8 in text from the guest");
        }
    }

    public static byte[] bytes(Instance guest, long[] arguments, int at) {
        return bytes(guest, arguments, at, LIMIT);
    }

    private static byte[] bytes(Instance guest, long[] arguments, int at, long limit) {
        long length = unsigned(arguments[at + 1]);
        if (length > limit) {
            throw TrapException.byHost("guest hands over " + length + " bytes, more than the limit of " + limit);
        }
        return guest.memory().read(unsigned(arguments[at]), length);
    }

    /**
     * Reads text for people: at most {@code limit} bytes, followed by the number of omitted bytes. Text that is not
     * UTF-8 traps the guest, unless it is too long.
     */
    public static String line(Instance guest, long[] arguments, int at, int limit) {
        long length = unsigned(arguments[at + 1]);
        long address = unsigned(arguments[at]);
        if (length > guest.memory().size() - address) {
            throw new TrapException(
                    TrapException.Kind.OUT_OF_BOUNDS,
                    "out of bounds memory access: %d bytes at %d".formatted(length, address),
                    List.of(),
                    null);
        }
        if (length > limit) {
            var start = new String(guest.memory().read(address, limit), StandardCharsets.UTF_8);
            return start + "… (" + (length - limit) + " bytes cut)";
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(guest.memory().read(address, length)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw TrapException.byHost("invalid UTF-8 in text from the guest");
        }
    }

    public static long unsigned(long i32) {
        return i32 & 0xffff_ffffL;
    }
}
