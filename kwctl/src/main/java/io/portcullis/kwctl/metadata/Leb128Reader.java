package io.portcullis.kwctl.metadata;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** Reads the encodings of WebAssembly sections. Throws {@link IndexOutOfBoundsException} at the end of the data. */
final class Leb128Reader {

    private static final int FUNCTION = 0;
    private static final int TABLE = 1;
    private static final int MEMORY = 2;
    private static final int GLOBAL = 3;
    private static final int TAG = 4;

    private final byte[] bytes;
    private int position;

    Leb128Reader(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean hasMore() {
        return position < bytes.length;
    }

    int position() {
        return position;
    }

    int octet() {
        return bytes[position++] & 0xff;
    }

    int unsigned() {
        var value = 0;
        for (var shift = 0; shift < 35; shift += 7) {
            var next = octet();
            value |= (next & 0x7f) << shift;
            if (next < 0x80 && value >= 0) {
                return value;
            }
        }
        throw new IndexOutOfBoundsException("integer too large");
    }

    byte[] bytes(int length) {
        Objects.checkFromIndexSize(position, length, bytes.length);
        position += length;
        return Arrays.copyOfRange(bytes, position - length, position);
    }

    String name() {
        return new String(bytes(unsigned()), StandardCharsets.UTF_8);
    }

    /** Skips the type of an import, which follows its names. */
    void skipImportType() {
        switch (octet()) {
            case FUNCTION -> unsigned();
            case TABLE -> {
                skipValueType();
                skipLimits();
            }
            case MEMORY -> skipLimits();
            case GLOBAL -> {
                skipValueType();
                octet();
            }
            case TAG -> {
                octet();
                unsigned();
            }
            default -> throw new IndexOutOfBoundsException("unknown kind of import");
        }
    }

    /** Skips a value type. A reference type with an explicit heap type has more than one byte. */
    private void skipValueType() {
        var type = octet();
        if (type == 0x63 || type == 0x64) {
            unsigned();
        }
    }

    private void skipLimits() {
        var hasMaximum = (octet() & 1) != 0;
        unsigned();
        if (hasMaximum) {
            unsigned();
        }
    }
}
