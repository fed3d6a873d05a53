package io.portcullis.artifacts.verify;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.source.Certificates;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a policy asks of an image's signatures, as it arrives on the wire: {@code v1/verify} wraps the request into its
 * name, {@code v2/verify} carries the name as {@code type}. Everything that is listed must be satisfied.
 *
 * @param image as the policy wrote it
 */
public record VerifyRequest(String image, VerificationConfig config) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public static VerifyRequest parseV1(byte[] payload) {
        var root = read(payload);
        if (!root.isObject() || root.size() != 1) {
            throw invalid("a request is an object with one key that names its kind");
        }
        var entry = root.properties().iterator().next();
        return switch (entry.getKey()) {
            case "SigstorePubKeyVerify", "SigstoreKeylessVerify" -> parse(entry.getKey(), entry.getValue());
            case String other -> throw invalid("unknown variant `" + other + "`");
        };
    }

    public static VerifyRequest parseV2(byte[] payload) {
        var root = read(payload);
        return parse(text(root, "type"), root);
    }

    private static VerifyRequest parse(String type, JsonNode node) {
        var annotations = annotations(node);
        var constraints = switch (type) {
            case "SigstorePubKeyVerify" -> publicKeys(node, annotations);
            case "SigstoreKeylessVerify" -> keyless(node, annotations);
            case "SigstoreKeylessPrefixVerify" -> keylessPrefix(node, annotations);
            case "SigstoreGithubActionsVerify" -> githubActions(node, annotations);
            case "SigstoreCertificateVerify" -> certificate(node, annotations);
            case String other -> throw invalid("unknown variant `" + other + "`");
        };
        return new VerifyRequest(text(node, "image"), VerificationConfig.allOf(constraints));
    }

    private static List<SignatureConstraint> publicKeys(JsonNode node, Map<String, String> annotations) {
        var constraints = new ArrayList<SignatureConstraint>();
        for (var key : list(node, "pub_keys", "Must provide at least one pub key")) {
            constraints.add(SignatureConstraint.PubKey.of(key.asText(), Optional.empty(), annotations));
        }
        return constraints;
    }

    private static List<SignatureConstraint> keyless(JsonNode node, Map<String, String> annotations) {
        var constraints = new ArrayList<SignatureConstraint>();
        for (var each : list(node, "keyless", "Must provide keyless info")) {
            constraints.add(new SignatureConstraint.GenericIssuer(
                    text(each, "issuer"), new SignatureConstraint.Subject.Equal(text(each, "subject")), annotations));
        }
        return constraints;
    }

    private static List<SignatureConstraint> keylessPrefix(JsonNode node, Map<String, String> annotations) {
        var constraints = new ArrayList<SignatureConstraint>();
        for (var each : list(node, "keyless_prefix", "Must provide keyless info")) {
            constraints.add(new SignatureConstraint.GenericIssuer(
                    text(each, "issuer"),
                    new SignatureConstraint.Subject.UrlPrefix(text(each, "url_prefix")),
                    annotations));
        }
        return constraints;
    }

    private static List<SignatureConstraint> githubActions(JsonNode node, Map<String, String> annotations) {
        var owner = text(node, "owner");
        if (owner.isEmpty()) {
            throw new ArtifactException(Reason.INVALID_REFERENCE, "Must provide owner info");
        }
        var repo = node.hasNonNull("repo") ? Optional.of(text(node, "repo")) : Optional.<String>empty();
        return List.of(new SignatureConstraint.GithubAction(owner, repo, annotations));
    }

    private static List<SignatureConstraint> certificate(JsonNode node, Map<String, String> annotations) {
        if (!node.path("require_rekor_bundle").isBoolean()) {
            throw invalid("missing field `require_rekor_bundle`");
        }
        var chain = new ArrayList<X509Certificate>();
        node.path("certificate_chain").forEach(each -> chain.addAll(Certificates.parse(bytes(each))));
        return List.of(new SignatureConstraint.Certificate(
                Certificates.parse(bytes(node.path("certificate"))).getFirst(),
                chain,
                node.get("require_rekor_bundle").asBoolean(),
                annotations));
    }

    private static Map<String, String> annotations(JsonNode node) {
        var given = node.path("annotations");
        if (!given.isMissingNode() && !given.isNull() && !given.isObject()) {
            throw invalid("annotations is not an object");
        }
        var annotations = new HashMap<String, String>();
        given.properties()
                .forEach(each -> annotations.put(each.getKey(), each.getValue().asText()));
        return annotations;
    }

    private static JsonNode list(JsonNode node, String key, String whenEmpty) {
        var list = node.path(key);
        if (!list.isArray()) {
            throw invalid("missing field `" + key + "`");
        }
        if (list.isEmpty()) {
            throw new ArtifactException(Reason.INVALID_REFERENCE, whenEmpty);
        }
        return list;
    }

    /** Policies send bytes as a list of numbers. */
    private static byte[] bytes(JsonNode numbers) {
        var bytes = new ByteArrayOutputStream();
        numbers.forEach(each -> bytes.write(each.asInt()));
        return bytes.toByteArray();
    }

    private static String text(JsonNode node, String key) {
        if (!node.path(key).isTextual()) {
            throw invalid("missing field `" + key + "`");
        }
        return node.get(key).asText();
    }

    private static JsonNode read(byte[] payload) {
        try {
            return JSON.readTree(new String(payload, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw invalid("not JSON");
        }
    }

    private static ArtifactException invalid(String why) {
        return new ArtifactException(Reason.INVALID_REFERENCE, "invalid verification request: " + why);
    }
}
