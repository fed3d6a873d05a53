package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import java.util.Map;

/** Go's numbers of signature algorithms; 0 is an unknown algorithm. */
final class SignatureAlgorithms {

    private static final Map<String, Integer> BY_OID = Map.ofEntries(
            Map.entry("1.2.840.113549.1.1.4", 2),
            Map.entry("1.2.840.113549.1.1.5", 3),
            Map.entry("1.3.14.3.2.29", 3),
            Map.entry("1.2.840.113549.1.1.11", 4),
            Map.entry("1.2.840.113549.1.1.12", 5),
            Map.entry("1.2.840.113549.1.1.13", 6),
            Map.entry("1.2.840.10040.4.3", 7),
            Map.entry("2.16.840.1.101.3.4.3.2", 8),
            Map.entry("1.2.840.10045.4.1", 9),
            Map.entry("1.2.840.10045.4.3.2", 10),
            Map.entry("1.2.840.10045.4.3.3", 11),
            Map.entry("1.2.840.10045.4.3.4", 12),
            Map.entry("1.3.101.112", 16));

    private static final String PSS = "1.2.840.113549.1.1.10";

    /** The digests for PSS with their salt lengths. */
    private static final Map<String, Integer> PSS_BY_DIGEST =
            Map.of("2.16.840.1.101.3.4.2.1/32", 13, "2.16.840.1.101.3.4.2.2/48", 14, "2.16.840.1.101.3.4.2.3/64", 15);

    private SignatureAlgorithms() {}

    static int number(DerElement identifier) {
        var parts = identifier.sequence(1);
        var oid = parts.getFirst().dotted();
        return oid.equals(PSS) && parts.size() > 1 ? pss(parts.get(1)) : BY_OID.getOrDefault(oid, 0);
    }

    private static int pss(DerElement parameters) {
        var digest = "";
        var salt = "";
        for (var part : parameters.expect(DerElement.SEQUENCE).children()) {
            switch (part.tag()) {
                case 0xa0 ->
                    digest = part.children().getFirst().sequence(1).getFirst().dotted();
                case 0xa2 -> salt = part.children().getFirst().integer().toString();
                default -> {}
            }
        }
        return PSS_BY_DIGEST.getOrDefault(digest + "/" + salt, 0);
    }

    /** Returns whether the algorithm uses MD5 or SHA-1. Their signatures can be forged, so they are never accepted. */
    static boolean isInsecure(int number) {
        return number == 2 || number == 3 || number == 7 || number == 9;
    }
}
