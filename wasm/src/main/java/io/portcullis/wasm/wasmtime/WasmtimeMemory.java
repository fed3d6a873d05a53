package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.Memory;
import io.portcullis.wasm.TrapException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Access to the guest's memory. Memory never moves and never shrinks ({@link EngineConfig}). So the base is read once, and
 * the size only when an access lies beyond the cached size. Confined to the instance's thread.
 */
final class WasmtimeMemory implements Memory {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Wasmtime wasmtime;
    private final MemorySegment context;
    private final MemorySegment handle;
    private final long base;
    private MemorySegment bytes;

    WasmtimeMemory(Wasmtime wasmtime, MemorySegment context, MemorySegment handle) {
        this.wasmtime = wasmtime;
        this.context = context;
        this.handle = handle;
        this.base = wasmtime.memoryData(context, handle).address();
        this.bytes = window();
    }

    @Override
    public long size() {
        bytes = window();
        return bytes.byteSize();
    }

    @Override
    public byte[] read(long address, long length) {
        check(address, length);
        if (length > Integer.MAX_VALUE - 8) {
            throw outOfBounds(address, length);
        }
        var copy = new byte[(int) length];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, address, copy, 0, copy.length);
        return copy;
    }

    @Override
    public void write(long address, byte[] source, int offset, int length) {
        check(address, length);
        MemorySegment.copy(source, offset, bytes, ValueLayout.JAVA_BYTE, address, length);
    }

    @Override
    public int readInt(long address) {
        check(address, Integer.BYTES);
        return bytes.get(INT, address);
    }

    @Override
    public void writeInt(long address, int value) {
        check(address, Integer.BYTES);
        bytes.set(INT, address, value);
    }

    @Override
    public void writeLong(long address, long value) {
        check(address, Long.BYTES);
        bytes.set(LONG, address, value);
    }

    /** Makes every later access out of bounds, because another instance may now use the pages. */
    void detach() {
        bytes = MemorySegment.NULL;
    }

    private void check(long address, long length) {
        if (fits(address, length)) {
            return;
        }
        if (bytes.address() != 0) {
            bytes = window();
        }
        if (!fits(address, length)) {
            throw outOfBounds(address, length);
        }
    }

    private boolean fits(long address, long length) {
        var size = bytes.byteSize();
        return address >= 0 && length >= 0 && length <= size && address <= size - length;
    }

    private TrapException outOfBounds(long address, long length) {
        return new TrapException(
                TrapException.Kind.OUT_OF_BOUNDS,
                "out of bounds memory access: %d bytes at %d of %d".formatted(length, address, bytes.byteSize()),
                List.of(),
                null);
    }

    private MemorySegment window() {
        return MemorySegment.ofAddress(base).reinterpret(wasmtime.memorySize(context, handle));
    }
}
