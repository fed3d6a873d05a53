package io.portcullis.artifacts.verify.signature;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.CertificateAuthorities;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads cosign's older format: the payload is a layer, and everything else is in the layer's annotations. */
public final class SimpleSigning {

    static final String LAYER = "application/vnd.dev.cosign.simplesigning.v1+json";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SIGNATURE = "dev.cosignproject.cosign/signature";
    private static final String CERTIFICATE = "dev.sigstore.cosign/certificate";
    private static final String CHAIN = "dev.sigstore.cosign/chain";
    private static final String BUNDLE = "dev.sigstore.cosign/bundle";

    private SimpleSigning() {}

    /** @param payload the registry client already checked its digest */
    public static Candidate read(byte[] payload, Map<String, String> annotations, String imageDigest)
            throws UntrustedException {
        try {
            var json = JSON.readTree(payload);
            var named = json.at("/critical/image/docker-manifest-digest").asText();
            if (!named.equals(imageDigest)) {
                throw new UntrustedException("the payload is about " + named + ", not about " + imageDigest);
            }
            var signature = annotations.get(SIGNATURE);
            if (signature == null) {
                throw new UntrustedException("the layer carries no signature");
            }
            return new Candidate(
                    payload,
                    payload,
                    Base64.getDecoder().decode(signature),
                    texts(json.path("optional")),
                    new Candidate.Evidence(certificates(annotations), entries(annotations), List.of()));
        } catch (IOException | IllegalArgumentException | ArtifactException e) {
            throw new UntrustedException("the signature layer is malformed", e);
        }
    }

    static Map<String, String> texts(JsonNode object) {
        var texts = new HashMap<String, String>();
        object.properties().forEach(each -> {
            if (each.getValue().isValueNode() && !each.getValue().isNull()) {
                texts.put(each.getKey(), each.getValue().asText());
            }
        });
        return texts;
    }

    private static List<X509Certificate> certificates(Map<String, String> annotations) {
        var found = new ArrayList<X509Certificate>();
        for (var key : List.of(CERTIFICATE, CHAIN)) {
            var pem = annotations.getOrDefault(key, "");
            if (!pem.isBlank()) {
                found.addAll(CertificateAuthorities.parse(pem.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return found;
    }

    private static List<LogEntry> entries(Map<String, String> annotations) throws IOException {
        var bundle = annotations.getOrDefault(BUNDLE, "");
        if (bundle.isBlank()) {
            return List.of();
        }
        var json = JSON.readTree(bundle);
        var payload = json.path("Payload");
        return List.of(new LogEntry(
                Base64.getDecoder().decode(payload.path("body").asText()),
                payload.path("integratedTime").asLong(),
                payload.path("logIndex").asLong(),
                HexFormat.of().parseHex(payload.path("logID").asText()),
                Optional.of(Base64.getDecoder()
                        .decode(json.path("SignedEntryTimestamp").asText())),
                Optional.empty()));
    }
}
