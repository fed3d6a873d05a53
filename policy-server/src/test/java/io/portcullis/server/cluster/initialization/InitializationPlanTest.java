package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.server.cluster.initialization.InitializationPlan.Attempt;
import io.portcullis.server.cluster.initialization.InitializationPlan.Facts;
import io.portcullis.server.cluster.initialization.InitializationPlan.Step;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class InitializationPlanTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Optional<Condition> ABSENT = Optional.empty();
    private static final Optional<Condition> WAITING = said(Reason.WAITING_FOR_POLICY_SERVER);
    private static final Optional<Condition> SCHEDULED = said(Reason.POLICY_SCHEDULED);
    private static final Optional<Condition> DONE = said(Reason.POLICY_INITIALIZED);
    private static final Optional<Condition> FAILED = said(Reason.PULL_ERROR);
    private static final Optional<Attempt> NONE = Optional.empty();
    private static final Optional<Attempt> NEVER_AGAIN = Optional.of(new Attempt(1, Optional.empty()));

    private static Optional<Condition> said(Reason reason) {
        return Optional.of(Condition.ofGeneration(reason.type(), 1, reason.status(), reason, ""));
    }

    private static Optional<Attempt> again(int seconds) {
        return Optional.of(new Attempt(1, Optional.of(Pause.of(NOW, Duration.ofSeconds(seconds)))));
    }

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of("new", new Facts(true, WAITING, ABSENT, false, NONE, false), Step.INITIALIZE),
                Arguments.of(
                        "nothing said at all", new Facts(true, ABSENT, ABSENT, false, NONE, false), Step.INITIALIZE),
                Arguments.of("under way", new Facts(true, SCHEDULED, ABSENT, true, NONE, false), Step.NOTHING),
                Arguments.of(
                        "left by a former leader",
                        new Facts(true, SCHEDULED, ABSENT, false, NONE, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "failed under a former leader",
                        new Facts(true, SCHEDULED, FAILED, false, NONE, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "failed, too early", new Facts(true, SCHEDULED, FAILED, false, again(1), false), Step.NOTHING),
                Arguments.of(
                        "failed, due", new Facts(true, SCHEDULED, FAILED, false, again(0), false), Step.INITIALIZE),
                Arguments.of("defect", new Facts(true, SCHEDULED, FAILED, false, NEVER_AGAIN, false), Step.NOTHING),
                Arguments.of(
                        "given back after a defect",
                        new Facts(true, WAITING, ABSENT, false, NEVER_AGAIN, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "only the word is missing", new Facts(true, ABSENT, DONE, false, NONE, true), Step.SCHEDULE),
                Arguments.of(
                        "done by a former leader", new Facts(true, SCHEDULED, DONE, false, NONE, false), Step.INSPECT),
                Arguments.of(
                        "cache incomplete, too early",
                        new Facts(true, SCHEDULED, DONE, false, again(1), false),
                        Step.NOTHING),
                Arguments.of("done", new Facts(true, SCHEDULED, DONE, false, NONE, true), Step.NOTHING),
                Arguments.of("disabled", new Facts(false, SCHEDULED, ABSENT, false, NONE, false), Step.NOTHING),
                Arguments.of(
                        "disabled meanwhile", new Facts(false, SCHEDULED, ABSENT, true, NONE, false), Step.ABANDON));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void decides(String name, Facts facts, Step step) {
        assertThat(InitializationPlan.decide(facts, NOW)).as(name).isEqualTo(step);
    }

    /** What may pass by itself is retried and nothing else. */
    @ParameterizedTest
    @EnumSource(ArtifactException.Reason.class)
    void aFailureIsRetriedExactlyWhenItMayPass(ArtifactException.Reason reason) {
        var failed = InitializationOutcome.of(new ArtifactException(reason, "why"));

        assertThat(failed.reason().fault() == Reason.Fault.ENVIRONMENT).isEqualTo(reason.isRetryable());
        assertThat(failed.message()).contains("why");
    }

    @ParameterizedTest
    @EnumSource(value = PolicyLoadException.Reason.class, mode = EnumSource.Mode.EXCLUDE, names = "PREPARATION_FAILED")
    void whatThePolicyIsToBlameForIsADefect(PolicyLoadException.Reason reason) {
        assertThat(InitializationOutcome.of(new PolicyLoadException(reason, "why", null))
                        .reason()
                        .fault())
                .isEqualTo(Reason.Fault.DEFECT);
    }

    /** The operator may raise the limit, or the machine may have been busy. */
    @Test
    void aModuleThatReachedALimitOfItsPreparationIsTriedAgain() {
        var failed = InitializationOutcome.of(
                new PolicyLoadException(PolicyLoadException.Reason.PREPARATION_FAILED, "too large", null));

        assertThat(failed.reason()).isEqualTo(Reason.PREPARATION_FAILED);
        assertThat(failed.reason().fault()).isEqualTo(Reason.Fault.ENVIRONMENT);
    }

    @Test
    void messagesAreShortAndWithoutCredentials() {
        var failed = InitializationOutcome.failed(
                Reason.PULL_ERROR,
                "https://user:secret@host/a?sig=hidden failed\nAuthorization: Bearer abcdefgh " + "é".repeat(2000));

        assertThat(failed.message())
                .startsWith("Cannot pull the policy from the registry. https://host/a failed")
                .doesNotContain("secret", "hidden", "abcdefgh", "\n")
                .endsWith("…");
        assertThat(failed.message().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(1024);
    }
}
