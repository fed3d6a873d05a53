package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parses a certificate signing request into the fields of Go's {@code x509.CertificateRequest}. */
final class ParsedRequest {

    private static final String EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
    private static final String ALTERNATIVE_NAMES = "2.5.29.17";

    private ParsedRequest() {}

    static RegoValue parse(byte[] bytes) {
        var request = DerElement.only(bytes);
        var outer = request.sequence(3);
        var body = outer.get(0).sequence(3);
        var key = PublicKeyInfo.parse(body.get(2));
        var names = new AlternativeNames();
        var attributes = new ArrayList<RegoValue>();
        var extensions = new ArrayList<RegoValue>();
        for (var attribute : body.size() > 3 ? body.get(3).children() : List.<DerElement>of()) {
            read(attribute, names, attributes, extensions);
        }
        var fields = new TreeMap<>(names.fields());
        fields.remove("URIStrings");
        fields.put("Raw", DerValues.base64(request.encoded()));
        fields.put("RawTBSCertificateRequest", DerValues.base64(outer.get(0).encoded()));
        fields.put("RawSubjectPublicKeyInfo", DerValues.base64(body.get(2).encoded()));
        fields.put("RawSubject", DerValues.base64(body.get(1).encoded()));
        fields.put("Version", RegoValue.of(body.get(0).smallInteger()));
        fields.put("Subject", X509Name.parse(body.get(1)));
        fields.put("PublicKeyAlgorithm", RegoValue.of(key.algorithm()));
        fields.put("PublicKey", key.key());
        fields.put("SignatureAlgorithm", RegoValue.of(SignatureAlgorithms.number(outer.get(1))));
        fields.put("Signature", DerValues.base64(outer.get(2).bits()));
        fields.put("Attributes", X509Name.listOrNull(attributes));
        fields.put("Extensions", X509Name.listOrNull(extensions));
        fields.put("ExtraExtensions", NullValue.NULL);
        return RegoValue.object((Map<String, RegoValue>) fields);
    }

    /** Reads an attribute. Omits attributes of another shape, for example a challenge password, as Go does. */
    private static void read(
            DerElement attribute, AlternativeNames names, List<RegoValue> attributes, List<RegoValue> extensions) {
        var parts = attribute.sequence(2);
        var sets = parts.get(1).expect(DerElement.SET).children();
        if (!sets.stream().allMatch(set -> set.tag() == DerElement.SEQUENCE)) {
            return;
        }
        var values = sets.stream()
                .map(set -> RegoValue.array(
                        set.children().stream().map(ParsedRequest::pair).toList()))
                .toList();
        attributes.add(RegoValue.object(Map.of("Type", DerValues.oid(parts.get(0)), "Value", RegoValue.array(values))));
        if (parts.get(0).dotted().equals(EXTENSION_REQUEST) && !sets.isEmpty()) {
            for (var extension : sets.getFirst().children()) {
                extensions.add(X509Extensions.entry(extension));
                if (extension.sequence(2).getFirst().dotted().equals(ALTERNATIVE_NAMES)) {
                    names.read(DerElement.only(extension.sequence(2).getLast().content()));
                }
            }
        }
    }

    /** Reads an extension as a name and a value. The value is the second element, which may be the critical flag. */
    private static RegoValue pair(DerElement extension) {
        var parts = extension.sequence(2);
        var second = parts.get(1);
        var value = switch (second.tag()) {
            case DerElement.OCTET_STRING -> DerValues.base64(second.content());
            case DerElement.BOOLEAN -> RegoValue.of(second.bool());
            case DerElement.INTEGER -> DerValues.number(second.integer());
            default -> NullValue.NULL;
        };
        return RegoValue.object(Map.of("Type", DerValues.oid(parts.get(0)), "Value", value));
    }
}
