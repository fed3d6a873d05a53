package io.portcullis.artifacts.source;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Classifies IP addresses by reachability. Pure. */
public enum AddressKind {
    /** Routed on the public internet. */
    PUBLIC,
    /**
     * RFC 1918, unique local IPv6 and carrier-grade NAT: pods, services, nodes and other machines of the local
     * network.
     */
    PRIVATE,
    /** Addresses of the local machine. */
    LOOPBACK,
    /** The local network segment, including cloud metadata services. */
    LINK_LOCAL,
    /** Addresses that do not identify one machine: unspecified, multicast, broadcast, documentation, reserved. */
    RESERVED;

    private static final Map<AddressKind, List<CidrRange>> IPV4 = Map.of(
            PRIVATE, ranges("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
            LOOPBACK, ranges("127.0.0.0/8"),
            LINK_LOCAL, ranges("169.254.0.0/16"),
            RESERVED,
                    ranges(
                            "0.0.0.0/8",
                            "192.0.0.0/24",
                            "192.0.2.0/24",
                            "192.88.99.0/24",
                            "198.18.0.0/15",
                            "198.51.100.0/24",
                            "203.0.113.0/24",
                            "224.0.0.0/4",
                            "240.0.0.0/4"));

    private static final Map<AddressKind, List<CidrRange>> IPV6 = Map.of(
            PRIVATE, ranges("fc00::/7", "fec0::/10", "64:ff9b:1::/48"),
            LINK_LOCAL, ranges("fe80::/10"));

    private static final CidrRange IPV6_LOOPBACK = range("::1/128");
    private static final CidrRange GLOBAL_UNICAST = range("2000::/3");
    /** Teredo, benchmarking, ORCHID and documentation. */
    private static final List<CidrRange> NOT_GLOBAL =
            ranges("2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "3fff::/20");

    private static final CidrRange NAT64 = range("64:ff9b::/96");
    private static final CidrRange SIX_TO_FOUR = range("2002::/16");
    private static final CidrRange IPV4_COMPATIBLE = range("::/96");
    private static final CidrRange IPV4_TRANSLATED = range("::ffff:0:0:0/96");
    private static final int IPV4_LENGTH = 4;
    private static final int LAST_FOUR = 12;

    /** Returns the kind of an address. An IPv6 address that embeds an IPv4 address has the kind of the IPv4 address. */
    public static AddressKind of(InetAddress address) {
        return of(address.getAddress());
    }

    private static AddressKind of(byte[] address) {
        if (address.length == IPV4_LENGTH) {
            return listed(IPV4, address, PUBLIC);
        }
        if (IPV6_LOOPBACK.contains(address)) {
            return LOOPBACK;
        }
        if (NAT64.contains(address) || IPV4_COMPATIBLE.contains(address) || IPV4_TRANSLATED.contains(address)) {
            return of(Arrays.copyOfRange(address, LAST_FOUR, LAST_FOUR + IPV4_LENGTH));
        }
        if (SIX_TO_FOUR.contains(address)) {
            return of(Arrays.copyOfRange(address, 2, 2 + IPV4_LENGTH));
        }
        var isGlobal =
                GLOBAL_UNICAST.contains(address) && NOT_GLOBAL.stream().noneMatch(range -> range.contains(address));
        return listed(IPV6, address, isGlobal ? PUBLIC : RESERVED);
    }

    private static AddressKind listed(Map<AddressKind, List<CidrRange>> ranges, byte[] address, AddressKind otherwise) {
        return Arrays.stream(values())
                .filter(kind -> ranges.getOrDefault(kind, List.of()).stream().anyMatch(each -> each.contains(address)))
                .findFirst()
                .orElse(otherwise);
    }

    private static List<CidrRange> ranges(String... texts) {
        return Arrays.stream(texts).map(AddressKind::range).toList();
    }

    private static CidrRange range(String text) {
        return CidrRange.parse(text).orElseThrow();
    }
}
