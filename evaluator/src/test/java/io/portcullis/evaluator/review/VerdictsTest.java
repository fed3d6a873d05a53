package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ValidationResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictsTest {

    @Test
    void copiesTheFieldsOfTheAnswer() {
        var response = new ValidationResponse(
                true, Optional.of("fine"), Optional.of(201), Optional.empty(), Map.of("k", "v"), List.of("w"));

        var verdict = Verdicts.of(new GuestOutcome.Answered(response), admission(""));

        assertThat(verdict)
                .isEqualTo(new PolicyVerdict.Decided(new AdmissionResponse(
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
    void createsAPatchFromAMutatedObject() {
        var verdict = Verdicts.of(mutation("{\"a\":2}"), admission(",\"object\":{\"a\":1}"));

        assertThat(verdict.response().patch().orElseThrow())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[{\"op\":\"replace\",\"path\":\"/a\",\"value\":2}]");
    }

    @Test
    void createsNoPatchWhenNothingChanged() {
        assertThat(Verdicts.of(mutation("{\"a\":1}"), admission(",\"object\":{\"a\":1}"))
                        .response()
                        .patch())
                .isEmpty();
    }

    @Test
    void rejectsAMutationWithoutAnObject() {
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
        assertThat(Verdicts.of(new GuestOutcome.TimedOut(), admission("")))
                .isEqualTo(new PolicyVerdict.Failed(
                        EvaluationFailure.DEADLINE, AdmissionResponse.reject("u", Status.error(Verdicts.TIMED_OUT))));
        assertThat(Verdicts.of(GuestOutcome.Failed.internal(EvaluationFailure.TRAP, "x"), admission("")))
                .isEqualTo(new PolicyVerdict.Failed(
                        EvaluationFailure.TRAP,
                        AdmissionResponse.reject("u", Status.error("internal server error: x"))));
    }

    @Test
    void setsTheUidOfTheRequestInAnAdmissionResponse() {
        var verdict = Verdicts.of(new GuestOutcome.AnsweredReview(AdmissionResponse.allow("other")), admission(""));

        assertThat(verdict).isEqualTo(new PolicyVerdict.Decided(AdmissionResponse.allow("u")));
    }

    @Test
    void acceptsKeysAndTextsOfAnyLength() {
        var long60 = "k".repeat(60_000);
        var verdict = Verdicts.of(
                mutation("{\"" + long60 + "\":\"" + long60 + "\"}"), admission(",\"object\":{\"" + long60 + "\":1}"));

        assertThat(verdict).isInstanceOf(PolicyVerdict.Decided.class);
        assertThat(verdict.response().patch().orElseThrow())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[{\"op\":\"replace\",\"path\":\"/" + long60 + "\",\"value\":\"" + long60 + "\"}]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1e400}",
                "{\"a\":-1e99999999999}",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":[{\"c\":1,\"c\":2}]}}",
            })
    void rejectsMutationsThatCannotBeCompared(String object) {
        for (var verdict : List.of(
                Verdicts.of(mutation("{}"), admission(",\"object\":" + object)),
                Verdicts.of(mutation(object), admission(",\"object\":{}")))) {
            assertThat(verdict).isInstanceOf(PolicyVerdict.Failed.class);
            assertThat(verdict.response().allowed()).isFalse();
            assertThat(verdict.response().status().orElseThrow().message().orElseThrow())
                    .startsWith("internal server error: cannot compare the mutated object with the request: ");
        }
    }

    @Test
    void rejectsNumbersThatAreTooLong() {
        var verdict = Verdicts.of(mutation("{\"a\":" + "9".repeat(1_001) + "}"), admission(",\"object\":{}"));

        assertThat(verdict).isInstanceOf(PolicyVerdict.Failed.class);
        assertThat(verdict.response().status().orElseThrow().message().orElseThrow())
                .contains("1000 characters");
    }

    @Test
    void rejectsAPatchThatRepeatsALongPath() {
        var members =
                IntStream.range(0, 20_000).mapToObj(i -> "\"m" + i + "\":1").collect(Collectors.joining(","));
        var before = "{\"" + "k".repeat(1_000_000) + "\":{" + members + "}}";
        var same = Verdicts.of(mutation(before), admission(",\"object\":" + before));
        var other = Verdicts.of(mutation(before.replace(":1", ":2")), admission(",\"object\":" + before));

        assertThat(same.response().patch()).isEmpty();
        assertThat(same.response().allowed()).isTrue();
        assertThat(other).isInstanceOf(PolicyVerdict.Failed.class);
        assertThat(other.response().status().orElseThrow().message().orElseThrow())
                .contains(String.valueOf(8 << 20));
    }

    private static GuestOutcome mutation(String object) {
        return new GuestOutcome.Answered(new ValidationResponse(
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
