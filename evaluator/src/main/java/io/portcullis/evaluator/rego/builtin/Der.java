package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** One element of DER, a range of a larger array. Whatever is not DER is refused. */
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

    private static final int LONGEST_LENGTH = 3;

    /** 16,384 bits are more than any key has. */
    private static final int LONGEST_INTEGER = 2_049;

    /** All elements, one after the other. */
    static List<Der> all(byte[] source) {
        return all(source, 0, source.length);
    }

    /** The one element that is all of the bytes. */
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
            if (octets == 0 || octets > LONGEST_LENGTH || content + octets > limit) {
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

    /** The children of a sequence, of which at least so many are needed. */
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
        if (content.length > LONGEST_INTEGER) {
            throw new BuiltinException("asn1: an integer has more than " + LONGEST_INTEGER + " bytes");
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

    /** The bytes of a bit string that is made of whole bytes. */
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
