package io.portcullis.wasm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The file format of {@link CompiledModule#serialize} for both engines: magic, length and text of the engine fingerprint, length
 * of the image, image. The fingerprint allows rejecting a foreign or truncated file before native code reads it.
 */
public final class SerialisedModule {

    private static final byte[] MAGIC = "portcullis-module\n".getBytes(StandardCharsets.US_ASCII);

    private SerialisedModule() {}

    public static byte[] seal(String fingerprint, byte[] image) {
        var label = fingerprint.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(MAGIC.length + Integer.BYTES + label.length + Integer.BYTES + image.length)
                .put(MAGIC)
                .putInt(label.length)
                .put(label)
                .putInt(image.length)
                .put(image)
                .array();
    }

    /** @throws InvalidModuleException when the fingerprint is missing or is that of another engine */
    public static byte[] open(String fingerprint, byte[] serialised) {
        var buffer = ByteBuffer.wrap(serialised);
        if (!Arrays.equals(take(buffer, MAGIC.length), MAGIC)) {
            throw new InvalidModuleException("not a module compiled by Portcullis");
        }
        var label = new String(take(buffer, length(buffer)), StandardCharsets.UTF_8);
        if (!label.equals(fingerprint)) {
            throw new InvalidModuleException(
                    "the module was compiled for the engine %s, this one is %s".formatted(label, fingerprint));
        }
        var image = take(buffer, length(buffer));
        if (buffer.hasRemaining()) {
            throw new InvalidModuleException("the compiled module has %d bytes too many".formatted(buffer.remaining()));
        }
        return image;
    }

    private static int length(ByteBuffer buffer) {
        return buffer.remaining() < Integer.BYTES ? -1 : buffer.getInt();
    }

    private static byte[] take(ByteBuffer buffer, int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw new InvalidModuleException("the compiled module is truncated");
        }
        var bytes = new byte[length];
        buffer.get(bytes);
        return bytes;
    }
}
