package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseRulesTest {

    private static final String FORBIDDEN =
            "Request rejected by policy p. The policy attempted to mutate the request, but it is currently configured to not allow mutations.";

    /** Tests every combination of verdict, mode and right to mutate. */
    @ParameterizedTest(name = "{0} + patch {1}, {2}, may mutate {3}")
    @CsvSource(
            nullValues = "-",
            value = {
                // verdict, patch, mode, may mutate → allowed, patch, message
                "accept, false, PROTECT, true,  true,  false, -",
                "accept, false, PROTECT, false, true,  false, -",
                "accept, true,  PROTECT, true,  true,  true,  -",
                "accept, true,  PROTECT, false, false, false, forbidden",
                "reject, false, PROTECT, true,  false, false, no",
                "reject, false, PROTECT, false, false, false, no",
                "reject, true,  PROTECT, true,  false, false, no",
                "reject, true,  PROTECT, false, false, false, no",
                "accept, false, MONITOR, true,  true,  false, -",
                "accept, true,  MONITOR, true,  true,  false, -",
                "reject, false, MONITOR, false, true,  false, -",
                "reject, true,  MONITOR, true,  true,  false, -",
            })
    void appliesModeAndMutationRule(
            String verdict,
            boolean patch,
            PolicyMode mode,
            boolean mayMutate,
            boolean allowed,
            boolean patched,
            String message) {
        var answer = new ResponseRules("p", mode, mayMutate, Optional.empty()).apply(verdict(verdict, patch));

        assertThat(answer.allowed()).isEqualTo(allowed);
        assertThat(answer.patch().isPresent()).isEqualTo(patched);
        assertThat(answer.status().flatMap(Status::message))
                .isEqualTo(Optional.ofNullable("forbidden".equals(message) ? FORBIDDEN : message));
        assertThat(answer.warnings()).containsExactly("w");
        assertThat(answer.auditAnnotations()).isEqualTo(Map.of("k", "v"));
    }

    @Test
    void replacesTheMessageAndKeepsTheOldOneAsACause() {
        var answer = protecting(Optional.of("custom")).apply(verdict("reject", false));

        assertThat(text(answer))
                .contains(
                        "\"status\":{\"message\":\"custom\",\"details\":{\"causes\":[{\"reason\":null,\"message\":\"no\",\"field\":null}]},\"code\":400}");
    }

    @Test
    void appliesTheCustomMessageToForbiddenMutationsToo() {
        var answer =
                new ResponseRules("p", PolicyMode.PROTECT, false, Optional.of("custom")).apply(verdict("accept", true));

        assertThat(text(answer))
                .contains("{\"message\":\"custom\",\"details\":{\"causes\":[{\"reason\":null,\"message\":\"" + FORBIDDEN
                        + "\",\"field\":null}]}}");
    }

    @Test
    void addsAnEmptyCauseWhenThePolicyHadNoMessage() {
        var silent = new AdmissionResponse("u", false, Optional.empty(), Optional.empty(), null, null);

        assertThat(text(protecting(Optional.of("custom")).apply(silent)))
                .contains("\"causes\":[{\"reason\":null,\"message\":\"\",\"field\":null}]");
    }

    @Test
    void doesNotChangeAcceptedVerdicts() {
        var verdict = verdict("accept", true);

        assertThat(protecting(Optional.of("custom")).apply(verdict)).isSameAs(verdict);
    }

    private static ResponseRules protecting(Optional<String> message) {
        return new ResponseRules("p", PolicyMode.PROTECT, true, message);
    }

    private static AdmissionResponse verdict(String verdict, boolean patch) {
        boolean accepted = verdict.equals("accept");
        return new AdmissionResponse(
                "u",
                accepted,
                patch ? Optional.of(new byte[] {'[', ']'}) : Optional.empty(),
                accepted
                        ? Optional.empty()
                        : Optional.of(new Status(
                                Optional.empty(),
                                Optional.of("no"),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(400))),
                Map.of("k", "v"),
                List.of("w"));
    }

    private static String text(AdmissionResponse response) {
        return new String(ResponseWriter.raw(response), StandardCharsets.UTF_8);
    }
}
