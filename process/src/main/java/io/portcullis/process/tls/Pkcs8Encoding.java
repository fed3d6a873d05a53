package io.portcullis.process.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Converts old key formats into PKCS#8: writes the few DER elements around a key, and finds the curve of an EC key. */
final class Pkcs8Encoding {

    static final byte[] NULL = {0x05, 0x00};
    private static final byte[] VERSION_ZERO = {0x02, 0x01, 0x00};
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;

    private Pkcs8Encoding() {}

    static byte[] privateKeyInfo(byte[] algorithm, byte[] key) {
        return sequence(VERSION_ZERO, algorithm, element(OCTET_STRING, key));
    }

    static byte[] sequence(byte[]... elements) {
        var content = new ByteArrayOutputStream();
        for (var element : elements) {
            content.writeBytes(element);
        }
        return element(SEQUENCE, content.toByteArray());
    }

    static byte[] objectIdentifier(int... bytes) {
        var content = new byte[bytes.length];
        for (var i = 0; i < bytes.length; i++) {
            content[i] = (byte) bytes[i];
        }
        return element(OBJECT_IDENTIFIER, content);
    }

    /** The content of the first element with this tag inside the outer sequence; empty when there is none. */
    static byte[] find(byte[] der, int tag) {
        var position = headerLength(der, 0);
        while (position + 1 < der.length) {
            var start = position + headerLength(der, position);
            var end = start + contentLength(der, position);
            if (end > der.length || end < start) {
                return new byte[0];
            }
            if ((der[position] & 0xff) == tag) {
                return Arrays.copyOfRange(der, start, end);
            }
            position = end;
        }
        return new byte[0];
    }

    private static int headerLength(byte[] der, int position) {
        var first = position + 1 < der.length ? der[position + 1] & 0xff : 0;
        return first < 0x80 ? 2 : 2 + (first & 0x7f);
    }

    private static int contentLength(byte[] der, int position) {
        var first = der[position + 1] & 0xff;
        if (first < 0x80) {
            return first;
        }
        var length = 0;
        for (var i = 0; i < (first & 0x7f) && position + 2 + i < der.length; i++) {
            length = (length << 8) | (der[position + 2 + i] & 0xff);
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            var bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(content.length) + 7) / 8;
            out.write(0x80 | bytes);
            for (var i = bytes - 1; i >= 0; i--) {
                out.write(content.length >> (8 * i));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
