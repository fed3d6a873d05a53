package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** One DER element, as a range of a larger array. Input that is not DER is rejected. */
record Der(int tag, byte[] source, int start, int contentStart, int end) {

    static final int BOOLEAN = 0x01;
    static final int INTEGER = 0x02;
    static final int BIT_STRING = 0x03;
    static final int OCTET_STRING = 0x04;
    static final int OID = 0x06;
    static final int UTC_TIME = 0x17;
    static final int GENERALIZED_TIME = 0x18;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private static final int MAX_LENGTH_BYTES = 3;

    /** The maximum size of an integer in bytes; no key has more than 16,384 bits. */
    private static final int MAX_INTEGER_BYTES = 2_049;

    /** Parses consecutive elements. */
    static List<Der> all(byte[] source) {
        return all(source, 0, source.length);
    }

    /** Parses one element that covers all bytes. */
    static Der only(byte[] source) {
        var all = all(source);
        if (all.size() != 1) {
            throw malformed("trailing data");
        }
        return all.getFirst();
    }

    private static List<Der> all(byte[] source, int from, int to) {
        var elements = new ArrayList<Der>();
        for (int at = from; at < to; at = elements.getLast().end) {
            elements.add(at(source, at, to));
        }
        return elements;
    }

    private static Der at(byte[] source, int at, int limit) {
        if (at + 2 > limit || (source[at] & 0x1f) == 0x1f) {
            throw malformed("element");
        }
        int length = source[at + 1] & 0xff;
        int content = at + 2;
        if (length >= 0x80) {
            int octets = length & 0x7f;
            if (octets == 0 || octets > MAX_LENGTH_BYTES || content + octets > limit) {
                throw malformed("length");
            }
            length = new BigInteger(1, Arrays.copyOfRange(source, content, content + octets)).intValueExact();
            if (length < 0x80 || length >> (8 * (octets - 1)) == 0) {
                throw malformed("length");
            }
            content += octets;
        }
        if (content + length > limit) {
            throw malformed("length");
        }
        return new Der(source[at] & 0xff, source, at, content, content + length);
    }

    static BuiltinException malformed(String what) {
        return new BuiltinException("x509: malformed " + what);
    }

    Der expect(int expected) {
        if (tag != expected) {
            throw malformed("element: tag %d instead of %d".formatted(tag, expected));
        }
        return this;
    }

    byte[] content() {
        return Arrays.copyOfRange(source, contentStart, end);
    }

    byte[] encoded() {
        return Arrays.copyOfRange(source, start, end);
    }

    List<Der> children() {
        return all(source, contentStart, end);
    }

    /** Returns the children of a sequence and requires a minimum number of them. */
    List<Der> sequence(int atLeast) {
        var children = expect(SEQUENCE).children();
        if (children.size() < atLeast) {
            throw malformed("sequence");
        }
        return children;
    }

    BigInteger integer() {
        if (tag != INTEGER || contentStart == end) {
            throw malformed("integer");
        }
        var content = content();
        if (content.length > MAX_INTEGER_BYTES) {
            throw new BuiltinException("asn1: an integer has more than " + MAX_INTEGER_BYTES + " bytes");
        }
        return new BigInteger(content);
    }

    int smallInteger() {
        var value = integer();
        if (value.bitLength() > 31) {
            throw malformed("integer");
        }
        return value.intValueExact();
    }

    boolean bool() {
        return expect(BOOLEAN).content()[0] != 0;
    }

    /** Returns the bytes of a bit string that consists of whole bytes. */
    byte[] bits() {
        var content = expect(BIT_STRING).content();
        if (content.length == 0 || content[0] != 0) {
            throw malformed("bit string");
        }
        return Arrays.copyOfRange(content, 1, content.length);
    }

    List<Long> oid() {
        var numbers = new ArrayList<Long>();
        long number = 0;
        for (byte each : expect(OID).content()) {
            number = (number << 7) | (each & 0x7f);
            if (number > Integer.MAX_VALUE) {
                throw malformed("object identifier");
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
            throw malformed("object identifier");
        }
        return numbers;
    }

    String dotted() {
        return oid().stream().map(String::valueOf).collect(Collectors.joining("."));
    }

    RegoValue oidValue() {
        return RegoValue.array(oid().stream().map(RegoValue::of).toList());
    }

    static RegoValue base64(byte[] bytes) {
        return RegoValue.of(Base64.getEncoder().encodeToString(bytes));
    }

    static RegoValue number(BigInteger number) {
        return RegoValue.number(number.toString());
    }
}
