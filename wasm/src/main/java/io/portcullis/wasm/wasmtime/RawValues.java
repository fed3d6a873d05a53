package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Arrays of {@code wasmtime_val_raw_t}. A 32-bit value is zero-extended; the upper half of its slot is undefined. */
final class RawValues {

    private RawValues() {}

    static long get(MemorySegment values, int index, ValueType type) {
        var offset = index * Layouts.RAW_VALUE_SIZE;
        return switch (type) {
            case I32, F32 -> Integer.toUnsignedLong(values.get(ValueLayout.JAVA_INT, offset));
            case I64, F64, V128, REFERENCE -> values.get(ValueLayout.JAVA_LONG, offset);
        };
    }

    static void set(MemorySegment values, int index, ValueType type, long value) {
        var offset = index * Layouts.RAW_VALUE_SIZE;
        switch (type) {
            case I32, F32 -> values.set(ValueLayout.JAVA_LONG, offset, value & 0xffff_ffffL);
            case I64, F64, V128, REFERENCE -> values.set(ValueLayout.JAVA_LONG, offset, value);
        }
    }
}
