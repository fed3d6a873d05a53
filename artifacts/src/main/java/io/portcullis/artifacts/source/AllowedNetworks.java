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
 * Decides which network addresses a connection may use. Pure: the caller resolves names and checks the exact address
 * that it connects to. A name whose address changes between two lookups therefore cannot bypass the check (DNS
 * rebinding).
 *
 * @param kinds allowed kinds of addresses
 * @param ranges allowed addresses, independent of their kind
 * @param hosts allowed lower-case host names, independent of their addresses
 * @param remedy text that ends error messages; states which setting allows more networks
 */
public record AllowedNetworks(Set<AddressKind> kinds, List<CidrRange> ranges, Set<String> hosts, String remedy) {

    /** Allows every address. */
    public static final AllowedNetworks EVERYTHING =
            new AllowedNetworks(EnumSet.allOf(AddressKind.class), List.of(), Set.of(), "");

    /** List entry that allows every address. */
    public static final String ANY = "*";

    private static final Pattern HOST = Pattern.compile("[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?");
    private static final Pattern ONLY_DIGITS = Pattern.compile("[0-9.]+");
    /** Names that only resolvers of clusters and local networks resolve. */
    private static final Pattern INTERNAL_NAME =
            Pattern.compile("[^.]+|(?:.*\\.)?svc(?:\\..*)?|.*\\.(?:local|localhost|internal|intranet|lan|home\\.arpa)");

    public AllowedNetworks {
        kinds = Set.copyOf(kinds);
        ranges = List.copyOf(ranges);
        hosts = Set.copyOf(hosts);
    }

    /**
     * Allows public addresses and the listed ones.
     *
     * @param listed CIDR ranges, addresses, host names, or {@link #ANY}
     * @throws IllegalArgumentException if an entry is none of these
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
     * Returns the networks that a redirect may lead to if the redirecting host is unrestricted. A public host cannot
     * redirect into a private network, and no host can redirect to link-local addresses.
     *
     * @param origin the kind of address of the redirecting host
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

    /** Reports whether a connection to the host may use this resolved address. */
    public boolean allows(String host, InetAddress address) {
        return isListed(host)
                || ranges.stream().anyMatch(range -> range.contains(address.getAddress()))
                || (kinds.contains(AddressKind.of(address)) && (isEverything() || !isInternalName(host)));
    }

    private boolean isListed(String host) {
        return hosts.contains(withoutLastDot(host));
    }

    /**
     * Reports whether a name is internal: single labels, names of Services and of private zones. A literal address is
     * not a name.
     */
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
