package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The names for which an authority may or may not issue certificates. */
final class NameConstraints {

    private static final List<String> KINDS = List.of("DNSDomains", "EmailAddresses", "IPRanges", "URIDomains");

    private final Map<String, List<RegoValue>> lists = new TreeMap<>();
    private boolean critical;

    boolean read(DerElement sequence, boolean isCritical) {
        critical = isCritical;
        boolean allHandled = true;
        for (var part : sequence.sequence(1)) {
            var prefix = switch (part.tag()) {
                case 0xa0 -> "Permitted";
                case 0xa1 -> "Excluded";
                default -> throw new MalformedDerException("name constraints");
            };
            for (var tree : part.children()) {
                allHandled &= add(prefix, tree.sequence(1).getFirst());
            }
        }
        return allHandled;
    }

    private boolean add(String prefix, DerElement name) {
        switch (name.tag()) {
            case 0x81 -> list(prefix + "EmailAddresses", RegoValue.of(X509Name.ascii(name.content())));
            case 0x82 -> list(prefix + "DNSDomains", RegoValue.of(X509Name.ascii(name.content())));
            case 0x86 -> list(prefix + "URIDomains", RegoValue.of(X509Name.ascii(name.content())));
            case 0x87 -> list(prefix + "IPRanges", range(name.content()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static RegoValue range(byte[] bytes) {
        if (bytes.length != 8 && bytes.length != 32) {
            throw new BuiltinException("x509: IP constraint contained value of length " + bytes.length);
        }
        var address = Arrays.copyOf(bytes, bytes.length / 2);
        var mask = Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length);
        return RegoValue.object(
                Map.of("IP", RegoValue.of(AlternativeNames.address(address)), "Mask", DerValues.base64(mask)));
    }

    private void list(String key, RegoValue value) {
        lists.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }

    Map<String, RegoValue> fields() {
        var fields = new TreeMap<String, RegoValue>();
        for (var kind : KINDS) {
            fields.put("Permitted" + kind, X509Name.listOrNull(lists.get("Permitted" + kind)));
            fields.put("Excluded" + kind, X509Name.listOrNull(lists.get("Excluded" + kind)));
        }
        fields.put("PermittedDNSDomainsCritical", RegoValue.of(critical));
        return fields;
    }
}
