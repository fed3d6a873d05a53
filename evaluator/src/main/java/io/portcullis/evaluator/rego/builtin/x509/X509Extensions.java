package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The extensions of a certificate, and the fields that Go sets from them. */
final class X509Extensions {

    private static final List<String> LISTS = List.of(
            "CRLDistributionPoints",
            "ExtKeyUsage",
            "UnknownExtKeyUsage",
            "Policies",
            "PolicyIdentifiers",
            "PolicyMappings",
            "OCSPServer",
            "IssuingCertificateURL",
            "UnhandledCriticalExtensions");

    /** The index is Go's number of the usage. */
    private static final List<String> USAGES = List.of(
            "2.5.29.37.0",
            "1.3.6.1.5.5.7.3.1",
            "1.3.6.1.5.5.7.3.2",
            "1.3.6.1.5.5.7.3.3",
            "1.3.6.1.5.5.7.3.4",
            "1.3.6.1.5.5.7.3.5",
            "1.3.6.1.5.5.7.3.6",
            "1.3.6.1.5.5.7.3.7",
            "1.3.6.1.5.5.7.3.8",
            "1.3.6.1.5.5.7.3.9",
            "1.3.6.1.4.1.311.10.3.3",
            "2.16.840.1.113730.4.1",
            "1.3.6.1.4.1.311.2.1.22",
            "1.3.6.1.4.1.311.61.1.1");

    private static final int URI = 0x86;

    private final Map<String, RegoValue> fields = new TreeMap<>();
    private final Map<String, List<RegoValue>> lists = new TreeMap<>();
    private final AlternativeNames names = new AlternativeNames();
    private final NameConstraints constraints = new NameConstraints();
    private final List<RegoValue> all = new ArrayList<>();

    private X509Extensions() {
        for (var flag : List.of(
                "BasicConstraintsValid",
                "IsCA",
                "MaxPathLenZero",
                "InhibitAnyPolicyZero",
                "InhibitPolicyMappingZero",
                "RequireExplicitPolicyZero")) {
            fields.put(flag, RegoValue.of(false));
        }
        for (var number : List.of(
                "KeyUsage", "MaxPathLen", "InhibitAnyPolicy", "InhibitPolicyMapping", "RequireExplicitPolicy")) {
            fields.put(number, RegoValue.of(0));
        }
        fields.put("SubjectKeyId", NullValue.NULL);
        fields.put("AuthorityKeyId", NullValue.NULL);
        fields.put("ExtraExtensions", NullValue.NULL);
    }

    /** @param extensions the sequence of extensions, or an empty list */
    static Map<String, RegoValue> fields(List<DerElement> extensions) {
        var result = new X509Extensions();
        var seen = new HashSet<String>();
        extensions.forEach(extension -> {
            if (!seen.add(extension.sequence(2).getFirst().dotted())) {
                throw new BuiltinException("x509: certificate contains duplicate extensions");
            }
            result.add(extension);
        });
        return result.finish();
    }

    private void add(DerElement extension) {
        var parts = extension.sequence(2);
        boolean critical = parts.size() > 2 && parts.get(1).bool();
        var value = parts.getLast().expect(DerElement.OCTET_STRING).content();
        all.add(entry(extension));
        boolean handled = read(parts.getFirst().dotted(), value, critical);
        if (critical && !handled) {
            list("UnhandledCriticalExtensions", DerValues.oid(parts.getFirst()));
        }
    }

    static RegoValue entry(DerElement extension) {
        var parts = extension.sequence(2);
        boolean critical = parts.size() > 2 && parts.get(1).bool();
        return RegoValue.object(Map.of(
                "Id", DerValues.oid(parts.getFirst()),
                "Critical", RegoValue.of(critical),
                "Value",
                        DerValues.base64(
                                parts.getLast().expect(DerElement.OCTET_STRING).content())));
    }

    /** @return whether Go handles the extension */
    private boolean read(String oid, byte[] value, boolean critical) {
        return switch (oid) {
            case "2.5.29.14" ->
                put(
                        "SubjectKeyId",
                        DerValues.base64(DerElement.only(value)
                                .expect(DerElement.OCTET_STRING)
                                .content()));
            case "2.5.29.15" -> keyUsage(DerElement.only(value));
            case "2.5.29.17" -> names.read(DerElement.only(value));
            case "2.5.29.19" -> basicConstraints(DerElement.only(value));
            case "2.5.29.30" -> constraints.read(DerElement.only(value), critical);
            case "2.5.29.31" -> distributionPoints(DerElement.only(value));
            case "2.5.29.32" -> policies(DerElement.only(value));
            case "2.5.29.33" -> policyMappings(DerElement.only(value));
            case "2.5.29.35" -> authorityKeyId(DerElement.only(value));
            case "2.5.29.36" -> policyConstraints(DerElement.only(value));
            case "2.5.29.37" -> extendedKeyUsage(DerElement.only(value));
            case "2.5.29.54" -> count("InhibitAnyPolicy", DerElement.only(value).smallInteger());
            case "1.3.6.1.5.5.7.1.1" -> authorityInformation(DerElement.only(value));
            case String _ -> false;
        };
    }

    private boolean put(String field, RegoValue value) {
        fields.put(field, value);
        return true;
    }

    private void list(String field, RegoValue value) {
        lists.computeIfAbsent(field, _ -> new ArrayList<>()).add(value);
    }

    private boolean count(String field, int value) {
        fields.put(field + "Zero", RegoValue.of(value == 0));
        return put(field, RegoValue.of(value));
    }

    private boolean keyUsage(DerElement bits) {
        var content = bits.expect(DerElement.BIT_STRING).content();
        int usage = IntStream.range(0, Math.min(9, (content.length - 1) * 8))
                .filter(bit -> (content[1 + bit / 8] & (0x80 >> (bit % 8))) != 0)
                .map(bit -> 1 << bit)
                .sum();
        return put("KeyUsage", RegoValue.of(usage));
    }

    private boolean basicConstraints(DerElement sequence) {
        var parts = sequence.sequence(0);
        boolean authority = !parts.isEmpty()
                && parts.getFirst().tag() == DerElement.BOOLEAN
                && parts.getFirst().bool();
        boolean limited = !parts.isEmpty() && parts.getLast().tag() == DerElement.INTEGER;
        fields.put("BasicConstraintsValid", RegoValue.of(true));
        fields.put("IsCA", RegoValue.of(authority));
        return count("MaxPathLen", limited ? parts.getLast().smallInteger() : -1);
    }

    private boolean distributionPoints(DerElement points) {
        for (var point : points.sequence(0)) {
            point.sequence(0).stream()
                    .filter(part -> part.tag() == 0xa0)
                    .flatMap(name -> name.children().stream())
                    .filter(fullName -> fullName.tag() == 0xa0)
                    .flatMap(fullName -> fullName.children().stream())
                    .filter(name -> name.tag() == URI)
                    .forEach(name -> list("CRLDistributionPoints", RegoValue.of(X509Name.ascii(name.content()))));
        }
        return true;
    }

    private boolean policies(DerElement policies) {
        var seen = new HashSet<String>();
        for (var policy : policies.sequence(0)) {
            var oid = policy.sequence(1).getFirst();
            if (!seen.add(oid.dotted())) {
                throw new BuiltinException("x509: invalid certificate policies");
            }
            list("Policies", RegoValue.of(oid.dotted()));
            list("PolicyIdentifiers", DerValues.oid(oid));
        }
        return true;
    }

    private boolean policyMappings(DerElement mappings) {
        for (var mapping : mappings.sequence(0)) {
            var parts = mapping.sequence(2);
            list(
                    "PolicyMappings",
                    RegoValue.object(Map.of(
                            "IssuerDomainPolicy", RegoValue.of(parts.get(0).dotted()),
                            "SubjectDomainPolicy", RegoValue.of(parts.get(1).dotted()))));
        }
        return true;
    }

    private boolean authorityKeyId(DerElement sequence) {
        sequence.sequence(0).stream()
                .filter(part -> part.tag() == 0x80)
                .forEach(part -> put("AuthorityKeyId", DerValues.base64(part.content())));
        return true;
    }

    private boolean policyConstraints(DerElement sequence) {
        for (var part : sequence.sequence(0)) {
            switch (part.tag()) {
                case 0x80 -> count("RequireExplicitPolicy", new BigInteger(part.content()).intValueExact());
                case 0x81 -> count("InhibitPolicyMapping", new BigInteger(part.content()).intValueExact());
                default -> {}
            }
        }
        return true;
    }

    private boolean extendedKeyUsage(DerElement usages) {
        for (var usage : usages.sequence(0)) {
            int number = USAGES.indexOf(usage.dotted());
            if (number >= 0) {
                list("ExtKeyUsage", RegoValue.of(number));
            } else {
                list("UnknownExtKeyUsage", DerValues.oid(usage));
            }
        }
        return true;
    }

    private boolean authorityInformation(DerElement sequence) {
        for (var access : sequence.sequence(0)) {
            var parts = access.sequence(2);
            if (parts.get(1).tag() == URI) {
                var uri = RegoValue.of(X509Name.ascii(parts.get(1).content()));
                switch (parts.get(0).dotted()) {
                    case "1.3.6.1.5.5.7.48.1" -> list("OCSPServer", uri);
                    case "1.3.6.1.5.5.7.48.2" -> list("IssuingCertificateURL", uri);
                    default -> {}
                }
            }
        }
        return true;
    }

    private Map<String, RegoValue> finish() {
        LISTS.forEach(name -> fields.put(name, X509Name.listOrNull(lists.get(name))));
        fields.putAll(names.fields());
        fields.putAll(constraints.fields());
        fields.put("Extensions", X509Name.listOrNull(all));
        return fields;
    }
}
