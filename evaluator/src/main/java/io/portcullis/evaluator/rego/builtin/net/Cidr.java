package io.portcullis.evaluator.rego.builtin.net;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A block of IP addresses of one family. Addresses are numbers of {@code bits} bits. */
public record Cidr(BigInteger first, int prefix, int bits) {

    static Optional<Cidr> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        var address = Address.parse(text.substring(0, slash));
        var length = text.substring(slash + 1);
        if (address.isEmpty() || !length.matches("[0-9]{1,3}")) {
            return Optional.empty();
        }
        int prefix = Integer.parseInt(length);
        return prefix > address.get().bits ? Optional.empty() : Optional.of(block(address.get(), prefix));
    }

    /** Returns the range of a block or of an IPv4 address; an address means its classful network, as in OPA. */
    static Range rangeOf(String text) {
        var address = Address.parse(text);
        if (address.isEmpty()) {
            return parse(text)
                    .orElseThrow(() -> new BuiltinException("invalid CIDR address: " + text))
                    .range(Optional.empty());
        }
        if (address.get().bits != 32) {
            throw new BuiltinException("IPv6 invalid: needs prefix length");
        }
        int firstByte = address.get().value.shiftRight(24).intValue();
        int prefix = firstByte < 128 ? 8 : firstByte < 192 ? 16 : 24;
        return block(address.get(), prefix).range(Optional.of(address.get() + "/" + prefix));
    }

    private static Cidr block(Address address, int prefix) {
        int hostBits = address.bits - prefix;
        return new Cidr(address.value.shiftRight(hostBits).shiftLeft(hostBits), prefix, address.bits);
    }

    BigInteger last() {
        return first.add(BigInteger.ONE.shiftLeft(bits - prefix)).subtract(BigInteger.ONE);
    }

    private Range range(Optional<String> name) {
        return new Range(first, last(), bits, name.or(() -> Optional.of(toString())));
    }

    /** Returns whether the block contains an address or a whole block. */
    boolean contains(String other) {
        var address = Address.parse(other);
        if (address.isPresent()) {
            return address.get().bits == bits && isInside(address.get().value);
        }
        var block = parse(other)
                .orElseThrow(() ->
                        new BuiltinException("not a valid textual representation of an IP address or CIDR: " + other));
        return block.bits == bits && isInside(block.first) && isInside(block.last());
    }

    private boolean isInside(BigInteger address) {
        return address.compareTo(first) >= 0 && address.compareTo(last()) <= 0;
    }

    String text(BigInteger address) {
        return new Address(address, bits).toString();
    }

    @Override
    public String toString() {
        return text(first) + "/" + prefix;
    }

    /** Consecutive addresses, not always one block. Ranges that are not the result of a join have a name. */
    record Range(BigInteger first, BigInteger last, int bits, Optional<String> name) {

        /** Joins two ranges that overlap or touch; this range must end before the other. */
        Optional<Range> join(Range later) {
            boolean touches =
                    bits == later.bits && later.first.subtract(BigInteger.ONE).compareTo(last) <= 0;
            return touches
                    ? Optional.of(new Range(first.min(later.first), later.last, bits, Optional.empty()))
                    : Optional.empty();
        }

        /** Returns the names of the smallest set of blocks that covers the range. */
        List<String> blocks() {
            if (name.isPresent()) {
                return List.of(name.get());
            }
            var blocks = new ArrayList<String>();
            var start = first;
            while (start.compareTo(last) <= 0) {
                int aligned = start.signum() == 0 ? bits : Math.min(bits, start.getLowestSetBit());
                int fitting = last.subtract(start).add(BigInteger.ONE).bitLength() - 1;
                int size = Math.min(aligned, fitting);
                blocks.add(new Cidr(start, bits - size, bits).toString());
                start = start.add(BigInteger.ONE.shiftLeft(size));
            }
            return blocks;
        }
    }

    public record Address(BigInteger value, int bits) {

        public static Optional<Address> parse(String text) {
            boolean v4 = text.matches("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");
            boolean v6 = text.indexOf(':') >= 0 && text.matches("[0-9a-fA-F:.]+");
            if (!v4 && !v6) {
                return Optional.empty();
            }
            try {
                var bytes = InetAddress.ofLiteral(text).getAddress();
                return Optional.of(new Address(new BigInteger(1, bytes), bytes.length * 8));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public String toString() {
            return bits == 32 ? dotted() : groups();
        }

        private String dotted() {
            int all = value.intValue();
            return (all >>> 24) + "." + (all >>> 16 & 255) + "." + (all >>> 8 & 255) + "." + (all & 255);
        }

        /** Canonical text: the longest run of at least two zero groups is written {@code ::}. */
        private String groups() {
            var groups = new int[8];
            for (int i = 0; i < 8; i++) {
                groups[i] = value.shiftRight(112 - 16 * i).intValue() & 0xffff;
            }
            int runStart = -1;
            int runLength = 1;
            for (int i = 0; i < 8; i++) {
                int length = 0;
                while (i + length < 8 && groups[i + length] == 0) {
                    length++;
                }
                if (length > runLength) {
                    runStart = i;
                    runLength = length;
                }
            }
            var out = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                if (i == runStart) {
                    out.append("::");
                    i += runLength - 1;
                } else {
                    out.append(out.isEmpty() || out.charAt(out.length() - 1) == ':' ? "" : ":")
                            .append(Integer.toHexString(groups[i]));
                }
            }
            return out.toString();
        }
    }
}
