package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The expectation of a case. Absent parts are not checked.
 *
 * @param message a part of the rejection message
 * @param patch the JSON Patch as a list of operations; an empty list expects no patch
 * @param settingsError a part of the settings error
 */
public record Expectation(
        Optional<Boolean> allowed,
        Optional<String> message,
        Optional<Integer> code,
        Optional<JsonNode> patch,
        Optional<String> settingsError,
        boolean skipped) {

    /** Returns the differences from the expectation; empty when there are none. */
    public List<String> mismatches(CaseOutcome outcome) {
        return switch (outcome) {
            case CaseOutcome.Broken(var why) -> List.of(why);
            case CaseOutcome.Skipped(var reason) ->
                skipped ? List.of() : List.of("the policy would not be asked: " + reason);
            case CaseOutcome.SettingsRejected(var complaint) ->
                settingsError.isEmpty()
                        ? List.of("the settings are not valid: " + complaint)
                        : contains("settings error", settingsError.get(), complaint);
            case CaseOutcome.Evaluated(var response) -> mismatches(response);
        };
    }

    private List<String> mismatches(AdmissionResponse response) {
        if (skipped) {
            return List.of("expected that the policy is not asked, but it was");
        }
        if (settingsError.isPresent()) {
            return List.of("expected a settings error with '" + settingsError.get() + "', but the settings are valid");
        }
        var wrong = new ArrayList<String>();
        var actualMessage = response.status().flatMap(Status::message).orElse("");
        if (allowed.isPresent() && allowed.get() != response.allowed()) {
            wrong.add("expected the request to be " + verdict(allowed.get()) + ", but it was "
                    + verdict(response.allowed()) + (actualMessage.isEmpty() ? "" : ": " + actualMessage));
        }
        message.ifPresent(part -> wrong.addAll(contains("message", part, actualMessage)));
        code.ifPresent(wanted -> {
            var actual = response.status().flatMap(Status::code);
            if (!actual.equals(Optional.of(wanted))) {
                wrong.add("expected code " + wanted + ", but it was "
                        + actual.map(String::valueOf).orElse("absent"));
            }
        });
        patch.ifPresent(wanted -> {
            var actual = response.patch()
                    .map(Expectation::tree)
                    .orElseGet(() -> tree("[]".getBytes(StandardCharsets.UTF_8)));
            // Parse both sides in the same way, so that equal numbers are equal nodes.
            if (!actual.equals(tree(wanted.toString().getBytes(StandardCharsets.UTF_8)))) {
                wrong.add("expected the patch " + wanted + ", but it was " + actual);
            }
        });
        return wrong;
    }

    private static List<String> contains(String what, String part, String actual) {
        return actual.contains(part)
                ? List.of()
                : List.of("expected a " + what + " with '" + part + "', but it was '" + actual + "'");
    }

    private static String verdict(boolean allowed) {
        return allowed ? "allowed" : "rejected";
    }

    private static JsonNode tree(byte[] json) {
        try {
            return new JsonMapper().readTree(new String(json, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a patch is JSON", e);
        }
    }
}
