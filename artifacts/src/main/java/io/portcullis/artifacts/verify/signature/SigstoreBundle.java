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

/** Reads Sigstore bundles (v0.1 to v0.3) that contain cosign's statement about an image in a DSSE envelope. */
public final class SigstoreBundle {

    static final String MEDIA_TYPE_PREFIX = "application/vnd.dev.sigstore.bundle";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String IN_TOTO = "application/vnd.in-toto+json";
    // Other predicates are attestations. They do not approve the release of an image.
    private static final String SIGNATURE_PREDICATE = "https://sigstore.dev/cosign/sign/v1";

    private SigstoreBundle() {}

    public static Candidate read(byte[] bundle, String imageDigest) throws UntrustedException {
        try {
            var json = JSON.readTree(bundle);
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
                    evidence(json.path("verificationMaterial")));
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

    private static Candidate.Evidence evidence(JsonNode material) {
        var certificates = new ArrayList<X509Certificate>();
        if (material.has("certificate")) {
            certificates.addAll(CertificateAuthorities.parse(bytes(material.at("/certificate/rawBytes"))));
        }
        for (var each : material.at("/x509CertificateChain/certificates")) {
            certificates.addAll(CertificateAuthorities.parse(bytes(each.path("rawBytes"))));
        }
        var entries = new ArrayList<LogEntry>();
        material.path("tlogEntries").forEach(each -> entries.add(entry(each)));
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
