package io.portcullis.wasm.binary;

import io.portcullis.wasm.InvalidModuleException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Reads the WebAssembly binary format from a range of an array. Reading past its end raises an {@link InvalidModuleException}.
 *
 * <p>No method allocates more than the size of the range, even when the bytes declare larger lengths and counts.
 */
public final class BinaryReader {

    /** One section of a module. */
    public record SectionRange(int id, BinaryReader content) {}

    /** Sizes of a memory in pages. */
    public record Limits(long minimum, OptionalLong maximum) {}

    /** The number of bytes before the first section. */
    static final int HEADER_SIZE = 8;

    private static final byte[] HEADER = {0, 'a', 's', 'm', 1, 0, 0, 0};

    private static final int I32_CONST = 0x41;
    private static final int I64_CONST = 0x42;
    private static final int F32_CONST = 0x43;
    private static final int F64_CONST = 0x44;
    private static final int GLOBAL_GET = 0x23;
    private static final int REF_NULL = 0xd0;
    private static final int REF_FUNC = 0xd2;
    private static final int VECTOR_PREFIX = 0xfd;
    private static final int END = 0x0b;

    /** Wasmtime accepts no longer list in any section. */
    private static final long MAX_COUNT = 1_000_000;

    private final byte[] bytes;
    private final int end;
    private int position;

    public BinaryReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private BinaryReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Whether the bytes start with the magic number and the version of a module. */
    public static boolean hasHeader(byte[] wasm) {
        return wasm.length >= HEADER_SIZE && Arrays.equals(wasm, 0, HEADER_SIZE, HEADER, 0, HEADER_SIZE);
    }

    /** Returns a reader of the sections of a module. Skips the header without checking it. */
    public static BinaryReader ofSections(byte[] wasm) {
        var reader = new BinaryReader(wasm);
        reader.skip(HEADER_SIZE);
        return reader;
    }

    public boolean hasMore() {
        return position < end;
    }

    /** How many bytes are left. */
    public int remaining() {
        return end - position;
    }

    public int position() {
        return position;
    }

    public int octet() {
        if (position >= end) {
            throw truncated();
        }
        return bytes[position++] & 0xff;
    }

    /** Copies the next bytes. */
    public byte[] take(long length) {
        var start = position;
        skip(length);
        return Arrays.copyOfRange(bytes, start, position);
    }

    /** Skips bytes. */
    public void skip(long length) {
        if (length < 0 || length > end - position) {
            throw truncated();
        }
        position += (int) length;
    }

    /** A reader of the next bytes, which this reader then skips. Nothing is copied. */
    public BinaryReader range(long length) {
        var start = position;
        skip(length);
        return new BinaryReader(bytes, start, position);
    }

    /** Reads a section, which this reader then skips. Nothing is copied. */
    public SectionRange section() {
        return new SectionRange(octet(), range(number()));
    }

    /** Copies everything that is left. */
    public byte[] rest() {
        return take(remaining());
    }

    /** Reads a list: its length, then its entries. */
    public <T> List<T> list(Function<BinaryReader, T> entry) {
        var count = count();
        var entries = new ArrayList<T>();
        for (var index = 0; index < count; index++) {
            entries.add(entry.apply(this));
        }
        return List.copyOf(entries);
    }

    /** The length of a list. Each entry takes at least one byte, so a list cannot be longer than what is left. */
    public int count() {
        var count = number();
        if (count > MAX_COUNT) {
            throw new InvalidModuleException(
                    "the module declares a list of %d entries, the limit is %d".formatted(count, MAX_COUNT));
        }
        if (count > end - position) {
            throw truncated();
        }
        return (int) count;
    }

    /** Returns a copy of the bytes that were read since {@code start}. */
    public byte[] since(int start) {
        return Arrays.copyOfRange(bytes, start, position);
    }

    /** An unsigned LEB128 number of at most 32 bits. */
    public long number() {
        var result = 0L;
        for (var shift = 0; shift < 35; shift += 7) {
            var octet = octet();
            result |= (octet & 0x7fL) << shift;
            if ((octet & 0x80) == 0 && result <= 0xffff_ffffL) {
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

    /** Skips the type of an import, which follows its two names. */
    public void skipImportType() {
        switch (octet()) {
            case 0 -> number();
            case 1 -> {
                valueType();
                skipLimits();
            }
            case 2 -> skipLimits();
            case 3 -> {
                valueType();
                octet();
            }
            case 4 -> {
                octet();
                number();
            }
            default -> throw new InvalidModuleException("the module imports a thing of unknown kind");
        }
    }

    /** Skips a constant expression and its end. */
    public void skipExpression() {
        while (true) {
            switch (octet()) {
                case END -> {
                    return;
                }
                case I32_CONST, I64_CONST, GLOBAL_GET, REF_NULL, REF_FUNC -> skipLeb();
                case F32_CONST -> skip(4);
                case F64_CONST -> skip(8);
                case VECTOR_PREFIX -> {
                    skipLeb();
                    skip(16);
                }
                case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e -> {} // sums and products have no operands
                default -> throw new InvalidModuleException("the module has an unusual constant expression");
            }
        }
    }

    /** Skips one LEB128 number of any size. */
    public void skipLeb() {
        while ((octet() & 0x80) != 0) {
            // each octet but the last has its high bit set
        }
    }

    private static InvalidModuleException truncated() {
        return new InvalidModuleException("the module is truncated");
    }
}
