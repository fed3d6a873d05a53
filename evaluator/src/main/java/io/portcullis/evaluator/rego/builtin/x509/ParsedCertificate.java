package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.time.GoTimeLayout;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A certificate with all fields of Go's {@code x509.Certificate}, by Go's names. */
record ParsedCertificate(byte[] encoded, Map<String, RegoValue> fields, Instant notBefore, Instant notAfter) {

    private static final DateTimeFormatter RFC_3339 = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ssXXX");
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;

    /** Parses consecutive certificates. */
    static List<ParsedCertificate> parseAll(byte[] bytes) {
        return DerElement.all(bytes).stream().map(ParsedCertificate::parse).toList();
    }

    static ParsedCertificate parseOnly(byte[] bytes) {
        return parse(DerElement.only(bytes));
    }

    private static ParsedCertificate parse(DerElement certificate) {
        var outer = certificate.sequence(3);
        var body = new ArrayList<>(outer.get(0).sequence(6));
        int version = body.getFirst().tag() == VERSION ? version(body.removeFirst()) : 1;
        if (body.size() < 6) {
            throw new MalformedDerException("tbs certificate");
        }
        if (body.get(0).integer().signum() < 0) {
            throw new BuiltinException("x509: negative serial number");
        }
        var algorithm = SignatureAlgorithms.number(outer.get(1));
        var validity = body.get(3).sequence(2);
        var notBefore = time(validity.get(0));
        var notAfter = time(validity.get(1));
        var key = PublicKeyInfo.parse(body.get(5));

        var fields = new TreeMap<>(X509Extensions.fields(extensions(body)));
        fields.put("Raw", DerValues.base64(certificate.encoded()));
        fields.put("RawTBSCertificate", DerValues.base64(outer.get(0).encoded()));
        fields.put("RawSubjectPublicKeyInfo", DerValues.base64(body.get(5).encoded()));
        fields.put("RawSubject", DerValues.base64(body.get(4).encoded()));
        fields.put("RawIssuer", DerValues.base64(body.get(2).encoded()));
        fields.put("Signature", DerValues.base64(outer.get(2).bits()));
        fields.put("SignatureAlgorithm", RegoValue.of(algorithm));
        fields.put("PublicKeyAlgorithm", RegoValue.of(key.algorithm()));
        fields.put("PublicKey", key.key());
        fields.put("Version", RegoValue.of(version));
        fields.put("SerialNumber", DerValues.number(body.get(0).integer()));
        fields.put("Issuer", X509Name.parse(body.get(2)));
        fields.put("Subject", X509Name.parse(body.get(4)));
        fields.put("NotBefore", RegoValue.of(RFC_3339.format(notBefore)));
        fields.put("NotAfter", RegoValue.of(RFC_3339.format(notAfter)));
        return new ParsedCertificate(certificate.encoded(), fields, notBefore.toInstant(), notAfter.toInstant());
    }

    private static int version(DerElement tagged) {
        int version = tagged.children().getFirst().smallInteger();
        if (version < 0 || version > 2) {
            throw new BuiltinException("x509: invalid version");
        }
        return version + 1;
    }

    private static List<DerElement> extensions(List<DerElement> body) {
        return body.stream()
                .filter(part -> part.tag() == EXTENSIONS)
                .findFirst()
                .map(part -> part.children().getFirst().sequence(0))
                .orElse(List.of());
    }

    private static ZonedDateTime time(DerElement time) {
        var text = X509Name.ascii(time.content());
        return switch (time.tag()) {
            case DerElement.UTC_TIME -> utcTime(text);
            case DerElement.GENERALIZED_TIME ->
                GoTimeLayout.of("20060102150405Z0700").parse(text);
            default -> throw new MalformedDerException("validity");
        };
    }

    /** Parses a UTC time; two-digit years mean 1950 to 2049. */
    private static ZonedDateTime utcTime(String text) {
        var layout = text.length() > 11 ? "060102150405Z0700" : "0601021504Z0700";
        var time = GoTimeLayout.of(layout).parse(text);
        return time.getYear() >= 2050 ? time.minusYears(100) : time;
    }

    /** Converts to a Rego value. Go's type has no field for the texts of URIs; OPA adds them in some places. */
    RegoValue toValue(boolean withUriTexts) {
        var all = new TreeMap<>(fields);
        if (!withUriTexts) {
            all.remove("URIStrings");
        }
        return RegoValue.object((Map<String, RegoValue>) all);
    }

    RegoValue publicKey() {
        return field("PublicKey");
    }

    RegoValue field(String name) {
        var value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name);
        }
        return value;
    }
}
