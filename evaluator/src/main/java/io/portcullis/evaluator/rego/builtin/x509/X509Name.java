package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Converts distinguished names to Go's representation: known attributes by name, and all attributes in a list. */
final class X509Name {

    private static final int UTF8 = 12;
    private static final int NUMERIC = 18;
    private static final int PRINTABLE = 19;
    private static final int T61 = 20;
    private static final int IA5 = 22;
    private static final int BMP = 30;

    /** Attributes that may appear more than once. */
    private static final Map<String, String> LISTS = Map.of(
            "2.5.4.6", "Country",
            "2.5.4.7", "Locality",
            "2.5.4.8", "Province",
            "2.5.4.9", "StreetAddress",
            "2.5.4.10", "Organization",
            "2.5.4.11", "OrganizationalUnit",
            "2.5.4.17", "PostalCode");

    private static final Map<String, String> SINGLE = Map.of("2.5.4.3", "CommonName", "2.5.4.5", "SerialNumber");

    private X509Name() {}

    static RegoValue parse(DerElement name) {
        var names = new ArrayList<RegoValue>();
        var lists = new TreeMap<String, List<RegoValue>>();
        var fields = new TreeMap<String, RegoValue>();
        for (var set : name.expect(DerElement.SEQUENCE).children()) {
            for (var attribute : set.expect(DerElement.SET).children()) {
                var parts = attribute.sequence(2);
                var value = RegoValue.of(text(parts.get(1)));
                names.add(RegoValue.object(Map.of("Type", DerValues.oid(parts.get(0)), "Value", value)));
                var oid = parts.get(0).dotted();
                if (SINGLE.containsKey(oid)) {
                    fields.put(SINGLE.get(oid), value);
                } else if (LISTS.containsKey(oid)) {
                    lists.computeIfAbsent(LISTS.get(oid), _ -> new ArrayList<>())
                            .add(value);
                }
            }
        }
        LISTS.values().forEach(key -> fields.put(key, listOrNull(lists.get(key))));
        SINGLE.values().forEach(key -> fields.putIfAbsent(key, RegoValue.of("")));
        fields.put("Names", listOrNull(names));
        fields.put("ExtraNames", NullValue.NULL);
        return RegoValue.object((Map<String, RegoValue>) fields);
    }

    static RegoValue listOrNull(@Nullable List<RegoValue> items) {
        return items == null || items.isEmpty() ? NullValue.NULL : RegoValue.array(items);
    }

    private static String text(DerElement value) {
        var bytes = value.content();
        return switch (value.tag()) {
            case UTF8 -> EncodingBuiltins.text(bytes);
            case NUMERIC, PRINTABLE, IA5 -> ascii(bytes);
            case T61 -> new String(bytes, StandardCharsets.ISO_8859_1);
            case BMP -> new String(bytes, StandardCharsets.UTF_16BE);
            default -> throw new BuiltinException("x509: invalid RDNSequence: unsupported string type: " + value.tag());
        };
    }

    static String ascii(byte[] bytes) {
        for (byte each : bytes) {
            if (each < 0) {
                throw new BuiltinException("x509: invalid IA5 or printable string");
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
