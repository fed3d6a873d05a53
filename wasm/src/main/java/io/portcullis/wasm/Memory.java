package io.portcullis.wasm;

/**
 * A guest's linear memory. Addresses and lengths are unsigned 32-bit values widened to long, so that no sum wraps;
 * anything out of range raises {@link TrapException}, never a host failure.
 */
public interface Memory {

    long size();

    byte[] read(long address, long length);

    void write(long address, byte[] bytes, int offset, int length);

    default void write(long address, byte[] bytes) {
        write(address, bytes, 0, bytes.length);
    }

    int readInt(long address);

    void writeInt(long address, int value);

    void writeLong(long address, long value);
}
