package io.portcullis.artifacts.source;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides which network addresses may be connected to. Pure: the caller resolves names and asks about the very address
 * that it connects to, so that a name that changes its address between two lookups gains nothing.
 *
 * @param kinds kinds of addresses that are allowed
 * @param ranges addresses that are allowed whatever their kind
 * @param hosts names that are allowed whatever their addresses; lower case
 * @param remedy who can allow more, and how; ends error messages
 */
public record AllowedNetworks(Set<AddressKind> kinds, List<CidrRange> ranges, Set<String> hosts, String remedy) {

    /** Every address. */
    public static final AllowedNetworks EVERYTHING =
            new AllowedNetworks(EnumSet.allOf(AddressKind.class), List.of(), Set.of(), "");

    /** In a list of networks: every address. */
    public static final String ANY = "*";

    private static final Pattern HOST = Pattern.compile("[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?");
    private static final Pattern ONLY_DIGITS = Pattern.compile("[0-9.]+");
    /** Names that resolvers of clusters and sites answer, never the internet's. */
    private static final Pattern INTERNAL_NAME =
            Pattern.compile("[^.]+|(?:.*\\.)?svc(?:\\..*)?|.*\\.(?:local|localhost|internal|intranet|lan|home\\.arpa)");

    public AllowedNetworks {
        kinds = Set.copyOf(kinds);
        ranges = List.copyOf(ranges);
        hosts = Set.copyOf(hosts);
    }

    /**
     * Public addresses and what is listed.
     *
     * @param listed CIDR ranges, addresses, host names, or {@link #ANY}
     * @throws IllegalArgumentException when an entry is none of these
     */
    public static AllowedNetworks publicAnd(List<String> listed, String remedy) {
        var ranges = new ArrayList<CidrRange>();
        var hosts = new HashSet<String>();
        for (var entry : listed) {
            var text = entry.strip().toLowerCase(Locale.ROOT);
            if (text.equals(ANY)) {
                return EVERYTHING;
            }
            if (text.contains("/")) {
                ranges.add(CidrRange.parse(text).orElseThrow(() -> notANetwork(entry)));
            } else if (text.contains(":") || ONLY_DIGITS.matcher(text).matches()) {
                ranges.add(address(entry, text));
            } else if (HOST.matcher(text).matches()) {
                hosts.add(text);
            } else {
                throw notANetwork(entry);
            }
        }
        return new AllowedNetworks(EnumSet.of(AddressKind.PUBLIC), ranges, hosts, remedy);
    }

    private static CidrRange address(String entry, String text) {
        try {
            return CidrRange.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw notANetwork(entry);
        }
    }

    private static IllegalArgumentException notANetwork(String entry) {
        return new IllegalArgumentException(
                "expected CIDR ranges such as 10.0.0.0/8, addresses, host names without a port, or *; found \"" + entry
                        + "\"");
    }

    /**
     * What a redirect may lead to when the redirecting host itself may be anywhere: a host of the internet cannot point
     * into the site, and no host can point to link-local addresses.
     *
     * @param origin the kind of address that the redirecting host has
     * @param configured hosts that the operator configured
     */
    public static AllowedNetworks forRedirectsFrom(AddressKind origin, Set<String> configured) {
        var reachable = switch (origin) {
            case LOOPBACK -> EnumSet.of(AddressKind.PUBLIC, AddressKind.PRIVATE, AddressKind.LOOPBACK);
            case PRIVATE -> EnumSet.of(AddressKind.PUBLIC, AddressKind.PRIVATE);
            case PUBLIC, LINK_LOCAL, RESERVED -> EnumSet.of(AddressKind.PUBLIC);
        };
        return new AllowedNetworks(
                reachable,
                List.of(),
                configured,
                "a server may not redirect into a more private network; the operator can allow the host in sources.yml");
    }

    public boolean isEverything() {
        return kinds.size() == AddressKind.values().length;
    }

    /** Whether a host may be connected to at an address that it resolved to. */
    public boolean allows(String host, InetAddress address) {
        return isListed(host)
                || ranges.stream().anyMatch(range -> range.contains(address.getAddress()))
                || (kinds.contains(AddressKind.of(address)) && (isEverything() || !isInternalName(host)));
    }

    private boolean isListed(String host) {
        return hosts.contains(withoutLastDot(host));
    }

    /** A literal address is not a name; single labels, names of Services and of private zones are internal. */
    private boolean isInternalName(String host) {
        var name = withoutLastDot(host);
        return !kinds.contains(AddressKind.PRIVATE)
                && !name.contains(":")
                && !ONLY_DIGITS.matcher(name).matches()
                && INTERNAL_NAME.matcher(name).matches();
    }

    private static String withoutLastDot(String host) {
        var name = host.toLowerCase(Locale.ROOT);
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }
}
