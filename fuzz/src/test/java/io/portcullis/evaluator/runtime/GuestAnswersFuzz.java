package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.fuzz.Inputs;

/** Responses of guests: a JsonException, or the same verdict that Jackson reads. */
public final class GuestAnswersFuzz {

    private GuestAnswersFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var response = GuestAnswers.validation(input);
            Inputs.jacksonWithDuplicates(input)
                    .ifPresent(json -> Inputs.check(
                            json.path("accepted").asBoolean() == response.accepted(),
                            "Jackson reads the same verdict"));
        } catch (JsonException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            var outcome = GuestAnswers.settings(input);
            Inputs.jacksonWithDuplicates(input)
                    .ifPresent(json -> Inputs.check(
                            json.path("valid").asBoolean() == outcome instanceof SettingsOutcome.Valid,
                            "Jackson reads the same outcome"));
        } catch (JsonException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
