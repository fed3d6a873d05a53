package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.Verdict;
import io.portcullis.evaluator.runtime.Outcome;
import io.portcullis.evaluator.runtime.ValidationResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerdictsTest {

    @Test
    void copiesWhatTheGuestSaid() {
        var response = new ValidationResponse(
                true, Optional.of("fine"), Optional.of(201), Optional.empty(), Map.of("k", "v"), List.of("w"));

        var verdict = Verdicts.of(new Outcome.Answered(response), admission(""));

        assertThat(verdict)
                .isEqualTo(new Verdict.Decided(new AdmissionResponse(
                        "u",
                        true,
                        Optional.empty(),
                        Optional.of(new Status(
                                Optional.empty(),
                                Optional.of("fine"),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(201))),
                        Map.of("k", "v"),
                        List.of("w"))));
    }

    @Test
    void makesAPatchOfAMutatedObject() {
        var verdict = Verdicts.of(mutation("{\"a\":2}"), admission(",\"object\":{\"a\":1}"));

        assertThat(verdict.response().patch().orElseThrow())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[{\"op\":\"replace\",\"path\":\"/a\",\"value\":2}]");
    }

    @Test
    void makesNoPatchWhenNothingChanged() {
        assertThat(Verdicts.of(mutation("{\"a\":1}"), admission(",\"object\":{\"a\":1}"))
                        .response()
                        .patch())
                .isEmpty();
    }

    @Test
    void rejectsAMutationOfNothing() {
        for (var object : List.of("", ",\"object\":null")) {
            var response = Verdicts.of(mutation("{\"a\":1}"), admission(object)).response();

            assertThat(response.allowed()).isFalse();
            assertThat(response.warnings()).isNull();
            assertThat(response.status().orElseThrow().code()).isEmpty();
            assertThat(response.status().orElseThrow().message())
                    .contains("Incoming object is null, which happens only with DELETE operations, but the policy is"
                            + " attempting a mutation. This is not allowed");
        }
    }

    @Test
    void patchesRawRequestsAsAWhole() {
        var request = new EvaluationRequest.Raw("", "[1]".getBytes(StandardCharsets.UTF_8));

        assertThat(Verdicts.of(mutation("[1,2]"), request).response().patch().orElseThrow())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]");
    }

    @Test
    void rejectsFailures() {
        assertThat(Verdicts.of(new Outcome.TimedOut(), admission("")))
                .isEqualTo(new Verdict.Failed(AdmissionResponse.reject("u", Status.error(Verdicts.TIMED_OUT))));
        assertThat(Verdicts.of(Outcome.Failed.internal("x"), admission("")))
                .isEqualTo(new Verdict.Failed(AdmissionResponse.reject("u", Status.error("internal server error: x"))));
    }

    @Test
    void putsTheRequestsUidIntoACompleteAnswer() {
        var verdict = Verdicts.of(new Outcome.Judged(AdmissionResponse.allow("other")), admission(""));

        assertThat(verdict).isEqualTo(new Verdict.Decided(AdmissionResponse.allow("u")));
    }

    private static Outcome mutation(String object) {
        return new Outcome.Answered(new ValidationResponse(
                true,
                Optional.empty(),
                Optional.empty(),
                Optional.of(object.getBytes(StandardCharsets.UTF_8)),
                null,
                List.of("w")));
    }

    private static EvaluationRequest admission(String more) {
        return Reviews.admission("""
                {"request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},\
                "resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{}%s}}""".formatted(more).getBytes(StandardCharsets.UTF_8));
    }
}
