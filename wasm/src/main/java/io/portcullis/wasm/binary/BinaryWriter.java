package io.portcullis.wasm.binary;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes the WebAssembly binary format. */
public final class BinaryWriter {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public byte[] bytes() {
        return out.toByteArray();
    }

    public BinaryWriter octet(int value) {
        out.write(value);
        return this;
    }

    public BinaryWriter raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    public BinaryWriter raw(byte[] bytes, int offset, int length) {
        out.write(bytes, offset, length);
        return this;
    }

    /** Unsigned LEB128. */
    public BinaryWriter number(long value) {
        var rest = value;
        while (Long.compareUnsigned(rest, 0x7f) > 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    /** Signed LEB128. */
    public BinaryWriter signed(long value) {
        var rest = value;
        while (rest < -64 || rest > 63) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>= 7;
        }
        out.write((int) (rest & 0x7f));
        return this;
    }

    public BinaryWriter name(String name) {
        var encoded = name.getBytes(StandardCharsets.UTF_8);
        return number(encoded.length).raw(encoded);
    }

    public BinaryWriter section(int id, byte[] content) {
        return octet(id).number(content.length).raw(content);
    }

    public BinaryWriter littleEndian(int value) {
        return raw(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }

    public BinaryWriter littleEndian(long value) {
        return raw(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }
}
