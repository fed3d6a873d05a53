package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.MalformedDerException;
import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Built-ins for X.509 certificates, signing requests and pairs of a certificate and its key, in the shape of Go's
 * types.
 */
public final class CertificateBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "crypto.x509.parse_certificates",
                    DerValues.reading((operands, _) -> values(certificates(operands.string(0)), true)),
            "crypto.x509.parse_and_verify_certificates",
                    DerValues.reading((operands, scope) ->
                            verify(operands.string(0), X509Chain.Options.atTime(now(scope)), true, scope)),
            "crypto.x509.parse_and_verify_certificates_with_options",
                    DerValues.reading(CertificateBuiltins::verifyWithOptions),
            "crypto.x509.parse_certificate_request", DerValues.reading((operands, _) -> request(operands.string(0))),
            "crypto.x509.parse_keypair",
                    DerValues.reading((operands, _) -> pair(operands.string(0), operands.string(1))));

    private static final String BEGIN = "-----BEGIN";

    /** The index is Go's number of the extended key usage. */
    private static final List<String> USAGES = List.of(
            "KeyUsageAny",
            "KeyUsageServerAuth",
            "KeyUsageClientAuth",
            "KeyUsageCodeSigning",
            "KeyUsageEmailProtection",
            "KeyUsageIPSECEndSystem",
            "KeyUsageIPSECTunnel",
            "KeyUsageIPSECUser",
            "KeyUsageTimeStamping",
            "KeyUsageOCSPSigning",
            "KeyUsageMicrosoftServerGatedCrypto",
            "KeyUsageNetscapeServerGatedCrypto",
            "KeyUsageMicrosoftCommercialCodeSigning",
            "KeyUsageMicrosoftKernelCodeSigning");

    private CertificateBuiltins() {}

    private static Instant now(EvaluationScope scope) {
        return instant(scope.nowNanos());
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(0, nanos);
    }

    private static RegoValue values(List<ParsedCertificate> certificates, boolean withUriTexts) {
        return RegoValue.array(certificates.stream()
                .map(certificate -> certificate.toValue(withUriTexts))
                .toList());
    }

    /** Parses PEM, base64 of PEM, or base64 of DER. */
    private static List<ParsedCertificate> certificates(String text) {
        if (text.startsWith(BEGIN)) {
            return fromPem(text);
        }
        var decoded = PrivateKeyBuiltins.base64(text);
        var pem = new String(decoded, StandardCharsets.ISO_8859_1);
        return pem.startsWith(BEGIN) ? fromPem(pem) : ParsedCertificate.parseAll(decoded);
    }

    private static List<ParsedCertificate> fromPem(String pem) {
        var all = new ByteArrayOutputStream();
        for (var block : PemBlock.all(pem)) {
            if (!block.type().equals("CERTIFICATE")) {
                throw new BuiltinException("PEM block type is '" + block.type() + "', expected CERTIFICATE");
            }
            all.writeBytes(block.bytes());
        }
        return ParsedCertificate.parseAll(all.toByteArray());
    }

    private static RegoValue verify(
            String text, X509Chain.Options options, boolean withUriTexts, EvaluationScope scope) {
        return readable(text)
                .flatMap(certificates -> X509Chain.verify(certificates, options, scope))
                .map(chain -> RegoValue.array(RegoValue.of(true), values(chain, withUriTexts)))
                .orElseGet(() -> RegoValue.array(RegoValue.of(false), RegoValue.array()));
    }

    private static Optional<List<ParsedCertificate>> readable(String text) {
        try {
            return Optional.of(certificates(text));
        } catch (BuiltinException | MalformedDerException e) {
            return Optional.empty();
        }
    }

    private static RegoValue verifyWithOptions(Operands operands, EvaluationScope scope) {
        var object = operands.object(1);
        return readable(operands.string(0)).isEmpty()
                ? RegoValue.array(RegoValue.of(false), RegoValue.array())
                : verify(operands.string(0), options(object, now(scope)), false, scope);
    }

    private static X509Chain.Options options(ObjectValue object, Instant now) {
        var hostname = "";
        var time = now;
        Set<Integer> usages = Set.of(1);
        for (var option : object.fields().entrySet()) {
            if (!(option.getKey() instanceof StringValue(var name))) {
                continue;
            }
            switch (name) {
                case "DNSName" -> hostname = hostname(option.getValue());
                case "CurrentTime" -> time = instant(integer(name, option.getValue()));
                // OPA passes the option to Go, which counts comparisons of constraints. The JDK has its own limits.
                case "MaxConstraintComparisons" -> integer(name, option.getValue());
                case "KeyUsages" -> usages = usages(option.getValue());
                default -> throw new BuiltinException("invalid key option");
            }
        }
        return new X509Chain.Options(hostname, time, usages.isEmpty() ? Set.of(1) : usages);
    }

    private static String hostname(RegoValue value) {
        if (value instanceof StringValue(var text)) {
            int start = 0;
            int end = text.length();
            while (start < end && text.charAt(start) == '"') {
                start++;
            }
            while (start < end && text.charAt(end - 1) == '"') {
                end--;
            }
            return text.substring(start, end);
        }
        throw new BuiltinException("'DNSName' should be a string");
    }

    private static long integer(String option, RegoValue value) {
        if (!(value instanceof NumberValue number)) {
            throw new BuiltinException("'" + option + "' should be a number");
        }
        try {
            return number.value().longValueExact();
        } catch (ArithmeticException e) {
            throw new BuiltinException("'" + option + "' should be a valid int64 number", e);
        }
    }

    private static Set<Integer> usages(RegoValue value) {
        Collection<RegoValue> items = switch (value) {
            case ArrayValue(var array) -> array;
            case SetValue(var set) -> set;
            case RegoValue _ -> throw new BuiltinException("'KeyUsages' should be an Array or Set");
        };
        var numbers = new TreeSet<Integer>();
        var unknown = new ArrayList<String>();
        for (var item : items) {
            if (item instanceof StringValue(var name)) {
                int number = USAGES.indexOf(name);
                if (number < 0) {
                    unknown.add(name);
                } else {
                    numbers.add(number);
                }
            }
        }
        if (!unknown.isEmpty()) {
            throw new BuiltinException("invalid entries for 'KeyUsages' found: " + unknown);
        }
        return numbers;
    }

    private static RegoValue request(String text) {
        if (!text.startsWith("-----BEGIN CERTIFICATE REQUEST-----")) {
            var decoded = PrivateKeyBuiltins.base64(text);
            var pem = new String(decoded, StandardCharsets.ISO_8859_1);
            return ParsedRequest.parse(pem.startsWith(BEGIN) ? requestBlock(pem) : decoded);
        }
        return ParsedRequest.parse(requestBlock(text));
    }

    private static byte[] requestBlock(String pem) {
        return PemBlock.all(pem).stream()
                .findFirst()
                .filter(block -> block.type().equals("CERTIFICATE REQUEST"))
                .map(PemBlock::bytes)
                .orElseThrow(() -> new BuiltinException("invalid PEM-encoded certificate signing request"));
    }

    private static RegoValue pair(String certificateText, String keyText) {
        var encoded = pairBlocks(certificateText, "CERTIFICATE").stream()
                .filter(block -> block.type().equals("CERTIFICATE"))
                .map(PemBlock::bytes)
                .toList();
        if (encoded.isEmpty()) {
            throw new BuiltinException("tls: failed to find any PEM data in certificate input");
        }
        var leaf = ParsedCertificate.parseOnly(encoded.getFirst());
        var key = pairBlocks(keyText, "PRIVATE KEY").stream()
                .filter(block ->
                        block.type().equals("PRIVATE KEY") || block.type().endsWith(" PRIVATE KEY"))
                .findFirst()
                .map(block -> PrivateKeyValue.ofAnyForm(block.bytes()))
                .orElseThrow(() -> new BuiltinException("tls: failed to find any PEM data in key input"));
        if (!key.publicKey().equals(leaf.publicKey())) {
            throw new BuiltinException("tls: private key does not match public key");
        }
        return RegoValue.object(Map.of(
                "Certificate",
                RegoValue.array(encoded.stream().map(DerValues::base64).toList()),
                "PrivateKey",
                key.toGo(),
                "Leaf",
                leaf.toValue(false),
                "OCSPStaple",
                NullValue.NULL,
                "SignedCertificateTimestamps",
                NullValue.NULL,
                "SupportedSignatureAlgorithms",
                NullValue.NULL));
    }

    /** Parses PEM, base64 of PEM, or base64 of DER; DER becomes one block of the given type. */
    private static List<PemBlock> pairBlocks(String text, String type) {
        if (text.startsWith(BEGIN + " ")) {
            return PemBlock.all(text);
        }
        var decoded = PrivateKeyBuiltins.base64(text);
        var pem = new String(decoded, StandardCharsets.ISO_8859_1);
        return pem.startsWith(BEGIN) ? PemBlock.all(pem) : List.of(new PemBlock(type, decoded, ""));
    }
}
