package io.portcullis.artifacts.verify.keyless;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.CertificateAuthorities;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.verify.signature.Candidate;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * Checks that a log entry belongs to the signature that it came with. This is required because an entry copied from
 * another signature of the same signer is also genuine.
 */
final class EntryBody {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The content of an entry: the hash of the signed data, and the signatures. */
    private record Statement(byte[] hash, boolean ofPayload, List<Signed> signatures) {
        Statement {
            signatures = List.copyOf(signatures);
        }
    }

    private record Signed(byte[] signature, byte[] verifier) {}

    private EntryBody() {}

    /** @param certificate the certificate whose key made the signature */
    static void checkBinds(byte[] body, Candidate candidate, X509Certificate certificate) throws UntrustedException {
        Statement statement;
        try {
            statement = parse(JSON.readTree(body));
        } catch (IOException | IllegalArgumentException e) {
            throw new UntrustedException("the log entry is malformed", e);
        }
        var content = statement.ofPayload() ? candidate.payload() : candidate.signed();
        if (!MessageDigest.isEqual(statement.hash(), Digest.newSha256().digest(content))) {
            throw new UntrustedException("the log entry is about other content");
        }
        var signed = statement.signatures().stream()
                .filter(each -> Arrays.equals(each.signature(), candidate.signature()))
                .findFirst()
                .orElseThrow(() -> new UntrustedException("the log entry is about another signature"));
        if (!isKeyOf(signed.verifier(), certificate)) {
            throw new UntrustedException("the log entry is about another signer");
        }
    }

    private static Statement parse(JsonNode entry) {
        var spec = entry.path("spec");
        return switch (entry.path("kind").asText() + "/"
                + entry.path("apiVersion").asText()) {
            case "hashedrekord/0.0.1", "rekord/0.0.1" ->
                new Statement(
                        hex(spec.at("/data/hash")),
                        false,
                        List.of(new Signed(
                                bytes(spec.at("/signature/content")), bytes(spec.at("/signature/publicKey/content")))));
            case "dsse/0.0.1" ->
                new Statement(hex(spec.path("payloadHash")), true, signatures(spec.path("signatures"), "signature"));
            case "intoto/0.0.2" -> {
                var content = spec.path("content");
                var signatures = new ArrayList<Signed>();
                content.at("/envelope/signatures")
                        .forEach(each -> signatures.add(
                                new Signed(decodedTwice(each.path("sig")), bytes(each.path("publicKey")))));
                yield new Statement(hex(content.path("payloadHash")), true, signatures);
            }
            case "hashedrekord/0.0.2" -> {
                var v2 = spec.path("hashedRekordV002");
                yield new Statement(bytes(v2.at("/data/digest")), false, List.of(version2(v2.path("signature"))));
            }
            case "dsse/0.0.2" -> {
                var v2 = spec.path("dsseV002");
                var signatures = new ArrayList<Signed>();
                v2.path("signatures").forEach(each -> signatures.add(version2(each)));
                yield new Statement(bytes(v2.at("/payloadHash/digest")), true, signatures);
            }
            case String kind -> throw new IllegalArgumentException("unknown kind of log entry: " + kind);
        };
    }

    private static List<Signed> signatures(JsonNode list, String key) {
        var found = new ArrayList<Signed>();
        list.forEach(each -> found.add(new Signed(bytes(each.path(key)), bytes(each.path("verifier")))));
        return found;
    }

    /** Decodes a signature of an in-toto entry. The log encodes the text of the envelope, which is encoded already. */
    private static byte[] decodedTwice(JsonNode base64) {
        return Base64.getDecoder().decode(bytes(base64));
    }

    private static Signed version2(JsonNode node) {
        var verifier = node.path("verifier");
        var certificate = verifier.at("/x509Certificate/rawBytes");
        return new Signed(
                bytes(node.path("content")),
                bytes(certificate.isMissingNode() ? verifier.at("/publicKey/rawBytes") : certificate));
    }

    /** Compares keys. Entries contain a certificate in PEM or DER. */
    private static boolean isKeyOf(byte[] verifier, X509Certificate certificate) {
        try {
            PublicKey key = CertificateAuthorities.parse(verifier).getFirst().getPublicKey();
            return Arrays.equals(key.getEncoded(), certificate.getPublicKey().getEncoded());
        } catch (ArtifactException e) {
            return false;
        }
    }

    private static byte[] hex(JsonNode hash) {
        if (!hash.path("algorithm").asText().equals("sha256")) {
            throw new IllegalArgumentException("unknown hash in a log entry");
        }
        return HexFormat.of().parseHex(hash.path("value").asText());
    }

    private static byte[] bytes(JsonNode base64) {
        return Base64.getDecoder().decode(base64.asText());
    }
}
