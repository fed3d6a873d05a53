package io.portcullis.wasm.endive;

import io.portcullis.wasm.Memory;
import io.portcullis.wasm.TrapException;
import java.util.List;

/** A guest's memory on the Java heap. Endive's addresses are ints; the check comes before the cast. */
record EndiveMemory(run.endive.runtime.Memory memory) implements Memory {

    private static final long PAGE_BYTES = 64 << 10;

    @Override
    public long size() {
        return memory.pages() * PAGE_BYTES;
    }

    @Override
    public byte[] read(long address, long length) {
        check(address, length);
        return memory.readBytes((int) address, (int) length);
    }

    @Override
    public void write(long address, byte[] bytes, int offset, int length) {
        check(address, length);
        memory.write((int) address, bytes, offset, length);
    }

    @Override
    public int readInt(long address) {
        check(address, Integer.BYTES);
        return memory.readInt((int) address);
    }

    @Override
    public void writeInt(long address, int value) {
        check(address, Integer.BYTES);
        memory.writeI32((int) address, value);
    }

    @Override
    public void writeLong(long address, long value) {
        check(address, Long.BYTES);
        memory.writeLong((int) address, value);
    }

    private void check(long address, long length) {
        var size = size();
        if (address < 0 || length < 0 || length > size || address > size - length) {
            throw new TrapException(
                    TrapException.Kind.OUT_OF_BOUNDS,
                    "out of bounds memory access: %d bytes at %d of %d".formatted(length, address, size),
                    List.of(),
                    null);
        }
    }
}
