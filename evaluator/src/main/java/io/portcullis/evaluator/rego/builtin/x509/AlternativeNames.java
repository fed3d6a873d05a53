package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.GoUrl;
import io.portcullis.evaluator.rego.builtin.net.Cidr;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The subject alternative names of a certificate or a certificate request. */
final class AlternativeNames {

    private static final int V4 = 4;
    private static final int V6 = 16;
    private static final BigInteger MAPPED = BigInteger.valueOf(0xffff);

    private final List<RegoValue> emails = new ArrayList<>();
    private final List<RegoValue> hosts = new ArrayList<>();
    private final List<RegoValue> addresses = new ArrayList<>();
    private final List<RegoValue> uris = new ArrayList<>();
    private final List<RegoValue> uriTexts = new ArrayList<>();

    /** @return whether there is a name of a kind that Go supports */
    boolean read(DerElement names) {
        for (var name : names.sequence(0)) {
            switch (name.tag()) {
                case 0x81 -> emails.add(RegoValue.of(X509Name.ascii(name.content())));
                case 0x82 -> hosts.add(RegoValue.of(X509Name.ascii(name.content())));
                case 0x86 -> uri(X509Name.ascii(name.content()));
                case 0x87 -> addresses.add(RegoValue.of(address(name.content())));
                default -> {}
            }
        }
        return !emails.isEmpty() || !hosts.isEmpty() || !addresses.isEmpty() || !uris.isEmpty();
    }

    Map<String, RegoValue> fields() {
        var fields = new TreeMap<String, RegoValue>();
        fields.put("EmailAddresses", X509Name.listOrNull(emails));
        fields.put("DNSNames", X509Name.listOrNull(hosts));
        fields.put("IPAddresses", X509Name.listOrNull(addresses));
        fields.put("URIs", X509Name.listOrNull(uris));
        fields.put("URIStrings", X509Name.listOrNull(uriTexts));
        return fields;
    }

    /** Formats an address as Go prints it; IPv4 addresses mapped to IPv6 are printed as IPv4. */
    static String address(byte[] bytes) {
        if (bytes.length != V4 && bytes.length != V6) {
            throw new BuiltinException("x509: cannot parse IP address of length " + bytes.length);
        }
        var value = new BigInteger(1, bytes);
        boolean mapped = bytes.length == V6 && value.shiftRight(32).equals(MAPPED);
        return new Cidr.Address(value, mapped ? 32 : bytes.length * 8).toString();
    }

    private void uri(String text) {
        var url = GoUrl.parse(text);
        var afterScheme =
                url.scheme().isEmpty() ? text : text.substring(url.scheme().length() + 1);
        boolean opaque = !url.scheme().isEmpty() && !afterScheme.startsWith("/");
        boolean hasAuthority = afterScheme.startsWith("//");
        boolean hasUser =
                hasAuthority && afterScheme.substring(2).split("[/?#]", 2)[0].contains("@");
        uris.add(RegoValue.object(Map.ofEntries(
                Map.entry("Scheme", RegoValue.of(url.scheme())),
                Map.entry("Opaque", RegoValue.of(opaque ? afterScheme.split("[?#]", 2)[0] : "")),
                Map.entry("User", hasUser ? RegoValue.object(Map.of()) : NullValue.NULL),
                Map.entry("Host", RegoValue.of(url.host())),
                Map.entry("Path", RegoValue.of(url.path())),
                Map.entry("RawPath", RegoValue.of(url.rawPath().equals(url.path()) ? "" : url.rawPath())),
                Map.entry(
                        "OmitHost",
                        RegoValue.of(!hasAuthority && !opaque && !url.scheme().isEmpty())),
                Map.entry("ForceQuery", RegoValue.of(text.endsWith("?"))),
                Map.entry("RawQuery", RegoValue.of(url.rawQuery())),
                Map.entry("Fragment", RegoValue.of(url.fragment())),
                Map.entry("RawFragment", RegoValue.of("")))));
        uriTexts.add(RegoValue.of(
                url.scheme().isEmpty() ? text : url.scheme().toLowerCase(Locale.ROOT) + ":" + afterScheme));
    }
}
