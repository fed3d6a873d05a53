package io.portcullis.artifacts.verify.signature;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.CertificateAuthorities;
import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads Sigstore bundles (v0.1 to v0.3) that contain cosign's statement about an image in a DSSE envelope. */
public final class SigstoreBundle {

    static final String MEDIA_TYPE_PREFIX = "application/vnd.dev.sigstore.bundle";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern VERSION = Pattern.compile(
            Pattern.quote(MEDIA_TYPE_PREFIX) + "(?:\\+json;version=(0\\.[123])|\\.v0\\.3(?:\\.[0-9]+)?\\+json)");
    private static final String IN_TOTO = "application/vnd.in-toto+json";
    // Other predicates are attestations. They do not approve the release of an image.
    private static final String SIGNATURE_PREDICATE = "https://sigstore.dev/cosign/sign/v1";

    private SigstoreBundle() {}

    public static Candidate read(byte[] bundle, String imageDigest) throws UntrustedException {
        try {
            var json = JSON.readTree(bundle);
            var needsProof = needsProof(json.path("mediaType").asText());
            var envelope = json.path("dsseEnvelope");
            if (!envelope.path("payloadType").asText().equals(IN_TOTO)
                    || envelope.path("signatures").size() != 1) {
                throw new UntrustedException("the bundle holds no envelope with one signature of an image");
            }
            var payload = bytes(envelope.path("payload"));
            return new Candidate(
                    payload,
                    preAuthenticationEncoding(IN_TOTO, payload),
                    bytes(envelope.at("/signatures/0/sig")),
                    annotations(JSON.readTree(payload), imageDigest),
                    evidence(json.path("verificationMaterial"), needsProof));
        } catch (IOException | IllegalArgumentException | ArtifactException e) {
            throw new UntrustedException("the bundle is malformed", e);
        }
    }

    /** Returns the bytes that DSSE signs instead of the plain payload. */
    public static byte[] preAuthenticationEncoding(String type, byte[] payload) {
        var head = ("DSSEv1 " + type.getBytes(StandardCharsets.UTF_8).length + " " + type + " " + payload.length + " ")
                .getBytes(StandardCharsets.UTF_8);
        var encoded = new byte[head.length + payload.length];
        System.arraycopy(head, 0, encoded, 0, head.length);
        System.arraycopy(payload, 0, encoded, head.length, payload.length);
        return encoded;
    }

    private static Map<String, String> annotations(JsonNode statement, String imageDigest) throws UntrustedException {
        if (!statement.path("predicateType").asText().equals(SIGNATURE_PREDICATE)) {
            throw new UntrustedException("the bundle is an attestation, not a signature");
        }
        for (var subject : statement.path("subject")) {
            if (subject.at("/digest/sha256").asText().equals(Digest.hex(imageDigest))) {
                return SimpleSigning.texts(subject.path("annotations"));
            }
        }
        throw new UntrustedException("the statement is not about " + imageDigest);
    }

    /** Returns whether log entries need an inclusion proof. The first version had only the log's promise. */
    private static boolean needsProof(String mediaType) throws UntrustedException {
        var version = VERSION.matcher(mediaType);
        if (!version.matches()) {
            throw new UntrustedException("the bundle has an unknown version: " + mediaType);
        }
        return !"0.1".equals(version.group(1));
    }

    private static Candidate.Evidence evidence(JsonNode material, boolean needsProof) throws UntrustedException {
        var certificates = new ArrayList<X509Certificate>();
        if (material.has("certificate")) {
            certificates.addAll(CertificateAuthorities.parse(bytes(material.at("/certificate/rawBytes"))));
        }
        for (var each : material.at("/x509CertificateChain/certificates")) {
            certificates.addAll(CertificateAuthorities.parse(bytes(each.path("rawBytes"))));
        }
        var entries = new ArrayList<LogEntry>();
        for (var each : material.path("tlogEntries")) {
            var entry = entry(each);
            if (needsProof && entry.proof().isEmpty()) {
                throw new UntrustedException("a log entry of the bundle has no inclusion proof");
            }
            entries.add(entry);
        }
        var timestamps = new ArrayList<byte[]>();
        material.at("/timestampVerificationData/rfc3161Timestamps")
                .forEach(each -> timestamps.add(bytes(each.path("signedTimestamp"))));
        return new Candidate.Evidence(certificates, entries, timestamps);
    }

    private static LogEntry entry(JsonNode node) {
        var promise = node.at("/inclusionPromise/signedEntryTimestamp");
        var proof = node.path("inclusionProof");
        return new LogEntry(
                bytes(node.path("canonicalizedBody")),
                node.path("integratedTime").asLong(),
                node.path("logIndex").asLong(),
                bytes(node.at("/logId/keyId")),
                promise.isMissingNode() ? Optional.empty() : Optional.of(bytes(promise)),
                proof.isMissingNode() || proof.isNull() ? Optional.empty() : Optional.of(proof(proof)));
    }

    private static LogEntry.Proof proof(JsonNode node) {
        var hashes = new ArrayList<byte[]>();
        node.path("hashes").forEach(each -> hashes.add(bytes(each)));
        return new LogEntry.Proof(
                node.path("logIndex").asLong(),
                node.path("treeSize").asLong(),
                bytes(node.path("rootHash")),
                List.copyOf(hashes),
                node.at("/checkpoint/envelope").asText());
    }

    private static byte[] bytes(JsonNode base64) {
        return Base64.getDecoder().decode(base64.asText());
    }
}
