package io.portcullis.artifacts.source;

import java.net.InetAddress;
import java.util.Optional;

/** A range of addresses such as {@code 10.0.0.0/8}. Matches literal addresses only and never resolves names. */
record CidrRange(byte[] network, int bits) {

    static Optional<CidrRange> parse(String text) {
        var slash = text.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        try {
            var network = InetAddress.ofLiteral(text.substring(0, slash)).getAddress();
            var bits = Integer.parseInt(text.substring(slash + 1));
            return bits < 0 || bits > network.length * 8 ? Optional.empty() : Optional.of(new CidrRange(network, bits));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the range with exactly one address. */
    static CidrRange of(InetAddress address) {
        var bytes = address.getAddress();
        return new CidrRange(bytes, bytes.length * 8);
    }

    boolean contains(String host) {
        try {
            return contains(
                    InetAddress.ofLiteral(host.replaceAll("[\\[\\]]", "")).getAddress());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    boolean contains(byte[] address) {
        if (address.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((address[bit / 8] & mask) != (network[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
