package io.portcullis.wasm.wasmtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Sizes, offsets and constants of the C structs of Wasmtime 50 on 64-bit machines. */
final class Layouts {

    /** {@code wasm_byte_vec_t} and every other {@code wasm_*_vec_t}: size, then data. */
    static final long VEC_SIZE = 16;

    static final long VEC_DATA = 8;

    /** {@code wasmtime_extern_t}: a kind byte, then the union. */
    static final long EXTERN_SIZE = 32;

    static final long EXTERN_OF = 8;
    static final byte EXTERN_MEMORY = 3;

    /** {@code wasmtime_instance_t}. */
    static final long INSTANCE_SIZE = 16;

    /** {@code wasmtime_memory_t}. */
    static final long MEMORY_SIZE = 24;

    /** {@code wasmtime_val_raw_t}: one argument or result of an unchecked call. */
    static final long RAW_VALUE_SIZE = 16;

    private Layouts() {}

    /** The bytes of a {@code wasm_byte_vec_t}, copied. */
    static byte[] bytes(MemorySegment vector) {
        var full = vector.reinterpret(VEC_SIZE);
        var size = full.get(ValueLayout.JAVA_LONG, 0);
        if (size == 0) {
            return new byte[0];
        }
        return full.get(ValueLayout.ADDRESS, VEC_DATA).reinterpret(size).toArray(ValueLayout.JAVA_BYTE);
    }

    static String text(MemorySegment vector) {
        return new String(bytes(vector), StandardCharsets.UTF_8);
    }

    /** How many pointers a {@code wasm_*_vec_t} holds. */
    static int count(MemorySegment vector) {
        return Math.toIntExact(vector.reinterpret(VEC_SIZE).get(ValueLayout.JAVA_LONG, 0));
    }

    /** The pointer at {@code index} of a {@code wasm_*_vec_t}. */
    static MemorySegment element(MemorySegment vector, int index) {
        var full = vector.reinterpret(VEC_SIZE);
        return full.get(ValueLayout.ADDRESS, VEC_DATA)
                .reinterpret(full.get(ValueLayout.JAVA_LONG, 0) * ValueLayout.ADDRESS.byteSize())
                .getAtIndex(ValueLayout.ADDRESS, index);
    }

    static MemorySegment utf8(SegmentAllocator allocator, String text) {
        return allocator.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.UTF_8));
    }

    static MemorySegment vector(Arena arena) {
        return arena.allocate(VEC_SIZE, ValueLayout.ADDRESS.byteAlignment());
    }

    static MemorySegment pointer(Arena arena) {
        return arena.allocate(ValueLayout.ADDRESS);
    }
}
