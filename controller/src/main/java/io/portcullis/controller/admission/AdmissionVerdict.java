package io.portcullis.controller.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.core.validation.FieldError;
import io.portcullis.core.validation.Validation;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Collectors;

/**
 * The answer to an AdmissionReview, in the form of the Kubernetes API: a rejection is 422 Invalid with one cause per
 * field.
 *
 * @param patch JSON Patch; empty for no change
 */
public record AdmissionVerdict(Validation validation, String patch) {

    public static final AdmissionVerdict FINE = new AdmissionVerdict(Validation.FINE, "");

    /** The API server truncates warnings to 256 characters, and drops the rest when all together exceed 4096. */
    private static final int MAX_WARNING_LENGTH = 256;

    private static final int INVALID = 422;
    private static final JsonMapper MAPPER = new JsonMapper();

    public static AdmissionVerdict of(Validation validation) {
        return new AdmissionVerdict(validation, "");
    }

    /** @param kind of the object, as in the API */
    public byte[] answer(ResourceReview review, String kind) {
        var answer = JsonNodeFactory.instance.objectNode();
        answer.put("apiVersion", review.apiVersion()).put("kind", "AdmissionReview");
        var response = answer.putObject("response");
        response.put("uid", review.uid()).put("allowed", validation.isAdmitted());
        if (!validation.isAdmitted()) {
            status(response.putObject("status"), kind, review.name());
        } else if (!patch.isEmpty()) {
            response.put("patchType", "JSONPatch")
                    .put("patch", Base64.getEncoder().encodeToString(patch.getBytes(StandardCharsets.UTF_8)));
        }
        if (!validation.warnings().isEmpty()) {
            var warnings = response.putArray("warnings");
            validation.warnings().forEach(warning -> warnings.add(cut(warning)));
        }
        try {
            return MAPPER.writeValueAsBytes(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    private void status(ObjectNode status, String kind, String name) {
        var errors = validation.errors();
        var problems = errors.stream().map(FieldError::toString).collect(Collectors.joining(", "));
        status.put("status", "Failure")
                .put("code", INVALID)
                .put("reason", "Invalid")
                .put(
                        "message",
                        "%s.%s \"%s\" is invalid: %s"
                                .formatted(
                                        kind,
                                        PolicyKind.GROUP,
                                        name,
                                        errors.size() == 1 ? problems : "[" + problems + "]"));
        var details = status.putObject("details");
        details.put("name", name).put("group", PolicyKind.GROUP).put("kind", kind);
        var causes = details.putArray("causes");
        errors.forEach(error -> causes.addObject()
                .put("reason", error.type().wireName())
                .put("message", error.message())
                .put("field", error.path()));
    }

    private static String cut(String warning) {
        return warning.length() <= MAX_WARNING_LENGTH ? warning : warning.substring(0, MAX_WARNING_LENGTH - 1) + "…";
    }
}
