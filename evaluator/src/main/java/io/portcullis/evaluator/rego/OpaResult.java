package io.portcullis.evaluator.rego;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.runtime.GuestOutcome;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts {@code [{"result": {"response": <AdmissionResponse>}}]} to a verdict. The caller sets the uid. */
final class OpaResult {

    private static final Set<String> PATCH_OPERATIONS = Set.of("add", "remove", "replace", "move", "copy", "test");

    private OpaResult() {}

    static GuestOutcome interpret(byte[] json) {
        try {
            var response = JsonTree.parse(json).path(0).path("result").path("response");
            if (!response.isObject()) {
                return GuestOutcome.Failed.internal(
                        EvaluationFailure.INVALID_ANSWER, "cannot interpret OPA policy result");
            }
            return new GuestOutcome.AnsweredReview(response(response));
        } catch (JsonException | UnexpectedShape e) {
            return GuestOutcome.Failed.internal(EvaluationFailure.INVALID_ANSWER, String.valueOf(e.getMessage()));
        }
    }

    private static AdmissionResponse response(JsonNode node) {
        optionalText(node, "uid");
        var patchType = optionalText(node, "patchType");
        if (patchType.filter(type -> !type.equals("JSONPatch")).isPresent()) {
            throw new UnexpectedShape("unknown variant `" + patchType.get() + "`, expected `JSONPatch`");
        }
        return new AdmissionResponse(
                "",
                bool(node, "allowed"),
                optionalText(node, "patch").map(OpaResult::patch),
                present(node, "status").map(OpaResult::status),
                present(node, "auditAnnotations").map(OpaResult::texts).orElse(null),
                present(node, "warnings").map(OpaResult::list).orElse(null));
    }

    private static boolean bool(JsonNode node, String key) {
        var value = node.path(key);
        if (!value.isBoolean()) {
            throw new UnexpectedShape(
                    value.isMissingNode() ? "missing field `" + key + "`" : wrongType(key, "a boolean"));
        }
        return value.booleanValue();
    }

    /** Decodes and checks a patch, so that an invalid patch does not reach the API server. */
    private static byte[] patch(String base64) {
        try {
            var bytes = Base64.getDecoder().decode(base64);
            var operations = JsonTree.parse(bytes);
            boolean valid = operations.isArray();
            for (var operation : operations) {
                valid = valid
                        && PATCH_OPERATIONS.contains(operation.path("op").asText())
                        && operation.path("path").isTextual();
            }
            if (!valid) {
                throw new UnexpectedShape("patch is not a JSON Patch");
            }
            return bytes;
        } catch (IllegalArgumentException | JsonException e) {
            throw new UnexpectedShape("patch is not the base64 of a JSON Patch: " + e.getMessage());
        }
    }

    private static Status status(JsonNode node) {
        if (!node.isObject()) {
            throw new UnexpectedShape(wrongType("status", "an object"));
        }
        var status = optionalText(node, "status");
        if (status.filter(text -> !text.equals("Success") && !text.equals("Failure"))
                .isPresent()) {
            throw new UnexpectedShape("unknown variant `" + status.get() + "`, expected `Success` or `Failure`");
        }
        return new Status(
                status,
                optionalText(node, "message"),
                optionalText(node, "reason"),
                present(node, "details").map(OpaResult::details),
                present(node, "code").map(code -> integer(code, "code", 65_535)));
    }

    private static Details details(JsonNode node) {
        if (!node.isObject()) {
            throw new UnexpectedShape(wrongType("details", "an object"));
        }
        var causes = new ArrayList<Cause>();
        present(node, "causes")
                .ifPresent(list -> list.forEach(cause -> causes.add(new Cause(
                        optionalText(cause, "reason").orElse(null),
                        optionalText(cause, "message").orElse(null),
                        optionalText(cause, "field").orElse(null)))));
        var retry = present(node, "retry_after_seconds").or(() -> present(node, "retryAfterSeconds"));
        return new Details(
                optionalText(node, "name"),
                optionalText(node, "group"),
                optionalText(node, "kind"),
                optionalText(node, "uid"),
                causes,
                retry.map(seconds -> integer(seconds, "retryAfterSeconds", Integer.MAX_VALUE)));
    }

    private static int integer(JsonNode node, String key, int maximum) {
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < 0 || node.intValue() > maximum) {
            throw new UnexpectedShape(wrongType(key, "an integer from 0 to " + maximum));
        }
        return node.intValue();
    }

    private static Map<String, String> texts(JsonNode node) {
        if (!node.isObject()) {
            throw new UnexpectedShape(wrongType("auditAnnotations", "an object"));
        }
        var texts = new LinkedHashMap<String, String>();
        node.properties().forEach(field -> texts.put(field.getKey(), text(field.getValue(), "auditAnnotations")));
        return texts;
    }

    private static List<String> list(JsonNode node) {
        if (!node.isArray()) {
            throw new UnexpectedShape(wrongType("warnings", "a list"));
        }
        var texts = new ArrayList<String>();
        node.forEach(item -> texts.add(text(item, "warnings")));
        return texts;
    }

    private static Optional<JsonNode> present(JsonNode node, String key) {
        @Nullable JsonNode value = node.get(key);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
    }

    private static Optional<String> optionalText(JsonNode node, String key) {
        return present(node, key).map(value -> text(value, key));
    }

    private static String text(JsonNode value, String key) {
        if (!value.isTextual()) {
            throw new UnexpectedShape(wrongType(key, "a string"));
        }
        return value.textValue();
    }

    private static String wrongType(String key, String expected) {
        return "invalid type for `" + key + "`, expected " + expected;
    }

    /** Thrown when the answer is not an AdmissionResponse; never escapes this class. */
    private static final class UnexpectedShape extends RuntimeException {
        UnexpectedShape(String message) {
            super(message, null, false, false);
        }
    }
}
