package io.portcullis.artifacts.verify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the verification configuration. Rejects unknown keys everywhere, so that a misspelled constraint is not
 * ignored silently.
 */
public final class VerificationConfigFile {

    private static final int MAX_MINIMUM_MATCHES = 255;

    private VerificationConfigFile() {}

    public static VerificationConfig load(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE, "cannot read verification config " + file + ": " + e.getMessage(), e);
        }
    }

    public static VerificationConfig parse(String yaml) {
        JsonNode root;
        try {
            root = new YAMLMapper().readTree(yaml);
        } catch (IOException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
        checkKeys(root, "config", Set.of("apiVersion", "allOf", "anyOf"));
        if (!root.path("apiVersion").asText("v1").equals("v1")) {
            throw new ArtifactException(Reason.INVALID_REFERENCE, "Not a supported configuration version");
        }
        var anyOf = root.hasNonNull("anyOf")
                ? Optional.of(anyOf(root.get("anyOf")))
                : Optional.<VerificationConfig.AnyOf>empty();
        return new VerificationConfig(signatures(root.path("allOf"), "allOf"), anyOf);
    }

    private static VerificationConfig.AnyOf anyOf(JsonNode node) {
        checkKeys(node, "anyOf", Set.of("minimumMatches", "signatures"));
        var minimum = node.path("minimumMatches");
        if (!minimum.isMissingNode()
                && (!minimum.isInt() || minimum.asInt() < 0 || minimum.asInt() > MAX_MINIMUM_MATCHES)) {
            throw invalid("minimumMatches is not a number from 0 to 255");
        }
        if (!node.has("signatures")) {
            throw invalid("missing field `signatures`");
        }
        return new VerificationConfig.AnyOf(minimum.asInt(1), signatures(node.get("signatures"), "signatures"));
    }

    private static List<SignatureConstraint> signatures(JsonNode list, String where) {
        if (!list.isMissingNode() && !list.isNull() && !list.isArray()) {
            throw invalid(where + " is not a list");
        }
        var constraints = new ArrayList<SignatureConstraint>();
        for (var node : list) {
            constraints.add(signature(node));
        }
        return constraints;
    }

    private static SignatureConstraint signature(JsonNode node) {
        return switch (required(node, "kind")) {
            case "pubKey" -> {
                checkKeys(node, "pubKey", Set.of("kind", "key", "owner", "annotations"));
                yield SignatureConstraint.PubKey.of(required(node, "key"), optional(node, "owner"), annotations(node));
            }
            case "genericIssuer" -> {
                checkKeys(node, "genericIssuer", Set.of("kind", "issuer", "subject", "annotations"));
                yield new SignatureConstraint.GenericIssuer(required(node, "issuer"), subject(node), annotations(node));
            }
            case "githubAction" -> {
                checkKeys(node, "githubAction", Set.of("kind", "owner", "repo", "annotations"));
                yield new SignatureConstraint.GithubAction(
                        required(node, "owner"), optional(node, "repo"), annotations(node));
            }
            case String other -> throw invalid("unknown variant `" + other + "` of kind");
        };
    }

    private static SignatureConstraint.Subject subject(JsonNode node) {
        if (!node.has("subject")) {
            throw invalid("missing field `subject`");
        }
        var subject = node.get("subject");
        checkKeys(subject, "subject", Set.of("equal", "urlPrefix"));
        if (subject.size() != 1) {
            throw invalid("subject needs exactly one of `equal`, `urlPrefix`");
        }
        return subject.has("equal")
                ? new SignatureConstraint.Subject.Equal(required(subject, "equal"))
                : new SignatureConstraint.Subject.UrlPrefix(required(subject, "urlPrefix"));
    }

    private static Map<String, String> annotations(JsonNode node) {
        var annotations = new LinkedHashMap<String, String>();
        var given = node.path("annotations");
        if (!given.isMissingNode() && !given.isNull() && !given.isObject()) {
            throw invalid("annotations is not a map");
        }
        given.properties()
                .forEach(each -> annotations.put(each.getKey(), each.getValue().asText()));
        return annotations;
    }

    private static String required(JsonNode node, String key) {
        return optional(node, key).orElseThrow(() -> invalid("missing field `" + key + "`"));
    }

    private static Optional<String> optional(JsonNode node, String key) {
        return Optional.ofNullable(node.get(key))
                .filter(value -> !value.isNull())
                .map(value -> {
                    if (!value.isValueNode()) {
                        throw invalid(key + " is not a text");
                    }
                    return value.asText();
                });
    }

    private static void checkKeys(JsonNode node, String where, Set<String> known) {
        if (!node.isObject()) {
            throw invalid(where + " is not a map");
        }
        for (var each : node.properties()) {
            if (!known.contains(each.getKey())) {
                throw invalid("unknown field `" + each.getKey() + "` in " + where);
            }
        }
    }

    private static ArtifactException invalid(String why) {
        return new ArtifactException(Reason.INVALID_REFERENCE, "Not a valid configuration file: " + why);
    }
}
