package io.portcullis.api.der;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One DER element, as a range of a larger array. Every method that reads raises a {@link MalformedDerException} for input
 * that is not DER. Lengths must be minimal, as in Go. Callers must not change the array.
 */
public record DerElement(int tag, byte[] source, int start, int contentStart, int end) {

    public static final int BOOLEAN = 0x01;
    public static final int INTEGER = 0x02;
    public static final int BIT_STRING = 0x03;
    public static final int OCTET_STRING = 0x04;
    public static final int OID = 0x06;
    public static final int UTC_TIME = 0x17;
    public static final int GENERALIZED_TIME = 0x18;
    public static final int SEQUENCE = 0x30;
    public static final int SET = 0x31;

    private static final int MAX_LENGTH_BYTES = 3;

    /** The maximum size of an integer in bytes; no key has more than 16,384 bits. */
    private static final int MAX_INTEGER_BYTES = 2_049;

    /** Parses consecutive elements. */
    public static List<DerElement> all(byte[] source) {
        return all(source, 0, source.length);
    }

    /** Parses one element that covers all bytes. */
    public static DerElement only(byte[] source) {
        var all = all(source);
        if (all.size() != 1) {
            throw new MalformedDerException("trailing data");
        }
        return all.getFirst();
    }

    private static List<DerElement> all(byte[] source, int from, int to) {
        var elements = new ArrayList<DerElement>();
        for (int at = from; at < to; at = elements.getLast().end) {
            elements.add(at(source, at, to));
        }
        return elements;
    }

    private static DerElement at(byte[] source, int at, int limit) {
        if (at + 2 > limit || (source[at] & 0x1f) == 0x1f) {
            throw new MalformedDerException("element");
        }
        int length = source[at + 1] & 0xff;
        int content = at + 2;
        if (length >= 0x80) {
            int octets = length & 0x7f;
            if (octets == 0 || octets > MAX_LENGTH_BYTES || content + octets > limit) {
                throw new MalformedDerException("length");
            }
            length = new BigInteger(1, Arrays.copyOfRange(source, content, content + octets)).intValueExact();
            if (length < 0x80 || length >> (8 * (octets - 1)) == 0) {
                throw new MalformedDerException("length");
            }
            content += octets;
        }
        if (content + length > limit) {
            throw new MalformedDerException("length");
        }
        return new DerElement(source[at] & 0xff, source, at, content, content + length);
    }

    /** Encodes an element. */
    public static DerElement of(int tag, byte[] content) {
        var out = new ByteArrayOutputStream(content.length + 5);
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            int octets = (Integer.SIZE - Integer.numberOfLeadingZeros(content.length) + 7) / 8;
            out.write(0x80 | octets);
            for (int i = octets - 1; i >= 0; i--) {
                out.write(content.length >> (8 * i));
            }
        }
        int contentStart = out.size();
        out.writeBytes(content);
        return new DerElement(tag, out.toByteArray(), 0, contentStart, out.size());
    }

    /** Encodes an element that consists of other elements. */
    public static DerElement of(int tag, List<DerElement> children) {
        var content = new ByteArrayOutputStream();
        children.forEach(child -> content.writeBytes(child.encoded()));
        return of(tag, content.toByteArray());
    }

    public DerElement expect(int expected) {
        if (tag != expected) {
            throw new MalformedDerException("element: tag %d instead of %d".formatted(tag, expected));
        }
        return this;
    }

    public byte[] content() {
        return Arrays.copyOfRange(source, contentStart, end);
    }

    public byte[] encoded() {
        return Arrays.copyOfRange(source, start, end);
    }

    public List<DerElement> children() {
        return all(source, contentStart, end);
    }

    /** Returns the child at this position and requires its tag. */
    public DerElement child(int index, int expected) {
        var children = children();
        if (index >= children.size()) {
            throw new MalformedDerException("sequence");
        }
        return children.get(index).expect(expected);
    }

    /** Returns the children of a sequence and requires a minimum number of them. */
    public List<DerElement> sequence(int atLeast) {
        var children = expect(SEQUENCE).children();
        if (children.size() < atLeast) {
            throw new MalformedDerException("sequence");
        }
        return children;
    }

    public BigInteger integer() {
        if (tag != INTEGER || contentStart == end) {
            throw new MalformedDerException("integer");
        }
        if (end - contentStart > MAX_INTEGER_BYTES) {
            throw new MalformedDerException("integer: it has more than " + MAX_INTEGER_BYTES + " bytes");
        }
        return new BigInteger(content());
    }

    public int smallInteger() {
        var value = integer();
        if (value.bitLength() > 31) {
            throw new MalformedDerException("integer");
        }
        return value.intValueExact();
    }

    public boolean bool() {
        if (tag != BOOLEAN || contentStart == end) {
            throw new MalformedDerException("boolean");
        }
        return source[contentStart] != 0;
    }

    /** Returns the bytes of a bit string that consists of whole bytes. */
    public byte[] bits() {
        var content = expect(BIT_STRING).content();
        if (content.length == 0 || content[0] != 0) {
            throw new MalformedDerException("bit string");
        }
        return Arrays.copyOfRange(content, 1, content.length);
    }

    /** Returns the numbers of an object identifier. */
    public List<Long> oid() {
        var numbers = new ArrayList<Long>();
        long number = 0;
        for (byte each : expect(OID).content()) {
            number = (number << 7) | (each & 0x7f);
            if (number > Integer.MAX_VALUE) {
                throw new MalformedDerException("object identifier");
            }
            if (each >= 0) {
                if (numbers.isEmpty()) {
                    long first = Math.min(number / 40, 2);
                    numbers.add(first);
                    number -= first * 40;
                }
                numbers.add(number);
                number = 0;
            }
        }
        if (numbers.isEmpty() || source[end - 1] < 0) {
            throw new MalformedDerException("object identifier");
        }
        return numbers;
    }

    /** Returns an object identifier as text, for example {@code 2.5.29.17}. */
    public String dotted() {
        return oid().stream().map(String::valueOf).collect(Collectors.joining("."));
    }
}
