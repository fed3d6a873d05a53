package io.portcullis.kwctl.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.kwctl.yaml.YamlText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The output format of a verdict. */
public enum ResultFormat {
    /** One compact line, for scripts. */
    JSON,
    /** The response with its patch decoded. */
    YAML,
    /** Text for users. */
    TEXT,
    /** One compact line: the AdmissionReview that a policy server would return. */
    REVIEW,
    /** The object after the patch of the policy, or unchanged without a patch. */
    OBJECT;

    public static List<String> names() {
        return Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    public static ResultFormat of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** @param request the evaluated request */
    public String render(AdmissionResponse response, RequestDocument request, String policy) {
        return switch (this) {
            case JSON -> text(ResponseWriter.bare(response)) + "\n";
            case REVIEW -> text(ResponseWriter.review(response)) + "\n";
            case YAML -> YamlText.of(decoded(response));
            case TEXT -> forPeople(response, policy);
            case OBJECT -> YamlText.of(object(response, request.json()));
        };
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static JsonNode tree(byte[] utf8) {
        try {
            return new JsonMapper().readTree(text(utf8));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("our own JSON", e);
        }
    }

    private static JsonNode decoded(AdmissionResponse response) {
        var tree = tree(ResponseWriter.bare(response));
        response.patch().ifPresent(patch -> ((ObjectNode) tree).set("patch", tree(patch)));
        return tree;
    }

    /** Returns the patched object. For raw policies, the patch applies to the request itself. */
    private static JsonNode object(AdmissionResponse response, JsonNode json) {
        var request = json.path("kind").asText().equals("AdmissionReview") ? json.path("request") : json;
        var object = request.has("object") ? request.path("object") : request;
        return response.patch().map(patch -> PatchedObject.of(object, patch)).orElse(object);
    }

    private static String forPeople(AdmissionResponse response, String policy) {
        var text = new StringBuilder(policy).append(": ").append(response.allowed() ? "allowed" : "rejected");
        response.status().ifPresent(status -> {
            status.message().ifPresent(message -> text.append(": ").append(message));
            status.code().ifPresent(code -> text.append(" (code ").append(code).append(')'));
            status.details()
                    .ifPresent(details -> details.causes()
                            .forEach(cause -> text.append("\n  ")
                                    .append(cause.field() == null ? "" : cause.field() + ": ")
                                    .append(cause.message())));
        });
        text.append('\n');
        var warnings = response.warnings();
        if (warnings != null) {
            warnings.forEach(
                    warning -> text.append("  warning: ").append(warning).append('\n'));
        }
        response.patch()
                .ifPresent(patch -> tree(patch)
                        .forEach(operation -> text.append("  ")
                                .append(operation.path("op").asText())
                                .append(' ')
                                .append(operation.path("path").asText())
                                .append(operation.has("value") ? " " + operation.get("value") : "")
                                .append('\n')));
        return text.toString();
    }
}
