package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads and writes the ASN.1 DER elements that certificates and timestamps need beyond the JDK. */
record Der(int tag, byte[] content) {

    static final int INTEGER = 0x02;
    static final int OCTET_STRING = 0x04;
    static final int OBJECT_ID = 0x06;
    static final int GENERALIZED_TIME = 0x18;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    /** Reads consecutive elements. */
    static List<Der> readAll(byte[] bytes) throws UntrustedException {
        var elements = new ArrayList<Der>();
        for (int at = 0; at < bytes.length; ) {
            if (at + 2 > bytes.length) {
                throw malformed();
            }
            int tag = bytes[at] & 0xff;
            int length = bytes[at + 1] & 0xff;
            int start = at + 2;
            if (length > 0x7f) {
                int octets = length & 0x7f;
                if (octets == 0 || octets > 3 || start + octets > bytes.length) {
                    throw malformed();
                }
                length = 0;
                for (int i = 0; i < octets; i++) {
                    length = (length << 8) | (bytes[start + i] & 0xff);
                }
                start += octets;
            }
            if (length > bytes.length - start) {
                throw malformed();
            }
            elements.add(new Der(tag, Arrays.copyOfRange(bytes, start, start + length)));
            at = start + length;
        }
        return elements;
    }

    /** Reads exactly one element. */
    static Der read(byte[] bytes) throws UntrustedException {
        var elements = readAll(bytes);
        if (elements.size() != 1) {
            throw malformed();
        }
        return elements.getFirst();
    }

    List<Der> children() throws UntrustedException {
        return readAll(content);
    }

    /** @throws UntrustedException if the child is missing or has another tag */
    Der child(int index, int expectedTag) throws UntrustedException {
        var children = children();
        if (index >= children.size() || children.get(index).tag() != expectedTag) {
            throw malformed();
        }
        return children.get(index);
    }

    static Der sequence(int tag, List<Der> children) {
        var content = new ByteArrayOutputStream();
        children.forEach(child -> content.writeBytes(child.encode()));
        return new Der(tag, content.toByteArray());
    }

    byte[] encode() {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.length;
        if (length < 0x80) {
            out.write(length);
        } else {
            int octets = (32 - Integer.numberOfLeadingZeros(length) + 7) / 8;
            out.write(0x80 | octets);
            for (int i = octets - 1; i >= 0; i--) {
                out.write(length >> (8 * i));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static UntrustedException malformed() {
        return new UntrustedException("malformed ASN.1");
    }
}
