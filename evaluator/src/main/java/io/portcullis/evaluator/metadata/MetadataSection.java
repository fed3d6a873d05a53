package io.portcullis.evaluator.metadata;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Finds the metadata in a module's binary: the first custom section with the name {@link #NAME}. Does not compile the
 * module.
 */
public final class MetadataSection {

    public static final String NAME = "io.kubewarden.metadata";

    private static final byte[] HEADER = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final int CUSTOM = 0;
    private static final byte[] NAME_BYTES = NAME.getBytes(StandardCharsets.UTF_8);

    /** The maximum size. Policies include their documentation here; the largest published section has 60 KiB. */
    static final int MAX_BYTES = 1 << 20;

    private final byte[] wasm;
    private int position = HEADER.length;

    private MetadataSection(byte[] wasm) {
        this.wasm = wasm;
    }

    /**
     * @return the unparsed content of the section
     * @throws PolicyLoadException if the bytes are not a module or the section lengths are inconsistent
     */
    public static Optional<byte[]> in(byte[] wasm) {
        if (!Arrays.equals(wasm, 0, Math.min(wasm.length, HEADER.length), HEADER, 0, HEADER.length)) {
            throw new PolicyLoadException(Reason.INVALID_MODULE, "invalid wasm file", null);
        }
        return new MetadataSection(wasm).find();
    }

    private Optional<byte[]> find() {
        while (position < wasm.length) {
            int id = wasm[position++];
            int end = endOf(length());
            if (id == CUSTOM) {
                int nameEnd = endOf(length());
                if (nameEnd > end) {
                    throw broken("name longer than its section");
                }
                if (Arrays.equals(wasm, position, nameEnd, NAME_BYTES, 0, NAME_BYTES.length)) {
                    if (end - nameEnd > MAX_BYTES) {
                        throw broken("the section %s has %d bytes, the limit is %d"
                                .formatted(NAME, end - nameEnd, MAX_BYTES));
                    }
                    return Optional.of(Arrays.copyOfRange(wasm, nameEnd, end));
                }
            }
            position = end;
        }
        return Optional.empty();
    }

    private int endOf(long length) {
        if (length > wasm.length - position) {
            throw broken("unexpected end-of-file");
        }
        return position + (int) length;
    }

    /** Reads an unsigned 32-bit LEB128. */
    private long length() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            if (position == wasm.length) {
                throw broken("unexpected end-of-file");
            }
            int next = wasm[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0 && value <= 0xffff_ffffL) {
                return value;
            }
        }
        throw broken("invalid var_u32: integer too large");
    }

    private PolicyLoadException broken(String why) {
        return new PolicyLoadException(
                Reason.INVALID_MODULE,
                "cannot parse custom section of wasm module: %s (at offset 0x%x)".formatted(why, position),
                null);
    }
}
