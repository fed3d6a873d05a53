package io.portcullis.wasm.binary;

import io.portcullis.wasm.InvalidModuleException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;

/** Reads the WebAssembly binary format from an array. Running off its end is an {@link InvalidModuleException}. */
public final class BinaryReader {

    /** Sizes of a memory in pages. */
    public record Limits(long minimum, OptionalLong maximum) {}

    private static final int I32_CONST = 0x41;
    private static final int I64_CONST = 0x42;
    private static final int F32_CONST = 0x43;
    private static final int F64_CONST = 0x44;
    private static final int GLOBAL_GET = 0x23;
    private static final int REF_NULL = 0xd0;
    private static final int REF_FUNC = 0xd2;
    private static final int VECTOR_PREFIX = 0xfd;
    private static final int END = 0x0b;

    private final byte[] bytes;
    private int position;

    public BinaryReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public boolean hasMore() {
        return position < bytes.length;
    }

    public int position() {
        return position;
    }

    public int octet() {
        return take(1)[0] & 0xff;
    }

    public byte[] take(long length) {
        if (length < 0 || length > bytes.length - position) {
            throw new InvalidModuleException("the module is truncated");
        }
        var part = Arrays.copyOfRange(bytes, position, position + (int) length);
        position += (int) length;
        return part;
    }

    /** What was read since {@code start}. */
    public byte[] since(int start) {
        return Arrays.copyOfRange(bytes, start, position);
    }

    /** An unsigned LEB128 number of at most 32 bits. */
    public long number() {
        var result = 0L;
        for (var shift = 0; shift < 35; shift += 7) {
            var octet = octet();
            result |= (octet & 0x7fL) << shift;
            if ((octet & 0x80) == 0) {
                return result;
            }
        }
        throw new InvalidModuleException("the module has a number that is too long");
    }

    public String name() {
        return new String(take(number()), StandardCharsets.UTF_8);
    }

    /** A value type, which may name a heap type. */
    public int valueType() {
        var type = octet();
        if (type == 0x63 || type == 0x64) {
            skipLeb();
        }
        return type;
    }

    /** The limits of a memory with 32-bit addresses that is not shared. */
    public Limits limits() {
        var flags = octet();
        if (flags > 1) {
            throw new InvalidModuleException("the module has a shared or 64-bit memory");
        }
        var minimum = number();
        return new Limits(minimum, flags == 1 ? OptionalLong.of(number()) : OptionalLong.empty());
    }

    public void skipLimits() {
        var flags = octet();
        skipLeb();
        if ((flags & 1) != 0) {
            skipLeb();
        }
    }

    /** Moves behind the end of a constant expression. */
    public void skipExpression() {
        while (true) {
            switch (octet()) {
                case END -> {
                    return;
                }
                case I32_CONST, I64_CONST, GLOBAL_GET, REF_NULL, REF_FUNC -> skipLeb();
                case F32_CONST -> take(4);
                case F64_CONST -> take(8);
                case VECTOR_PREFIX -> {
                    skipLeb();
                    take(16);
                }
                case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e -> {} // sums and products have no operands
                default -> throw new InvalidModuleException("the module has an unusual constant expression");
            }
        }
    }

    private void skipLeb() {
        while ((octet() & 0x80) != 0) {
            // each octet but the last has its high bit set
        }
    }
}
