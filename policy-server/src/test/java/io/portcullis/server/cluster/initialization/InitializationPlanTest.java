package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.time.Pause;
import io.portcullis.artifacts.failure.ArtifactException;
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
    private static final Optional<Condition> WAITING = condition(Reason.WAITING_FOR_POLICY_SERVER);
    private static final Optional<Condition> SCHEDULED = condition(Reason.POLICY_SCHEDULED);
    private static final Optional<Condition> DONE = condition(Reason.POLICY_INITIALIZED);
    private static final Optional<Condition> FAILED = condition(Reason.PULL_ERROR);
    private static final Optional<Attempt> NONE = Optional.empty();
    private static final Optional<Attempt> PERMANENT = Optional.of(new Attempt(1, Optional.empty()));

    private static Optional<Condition> condition(Reason reason) {
        return Optional.of(Condition.ofGeneration(reason.type(), 1, reason.status(), reason, ""));
    }

    private static Optional<Attempt> retryIn(int seconds) {
        return Optional.of(new Attempt(1, Optional.of(Pause.of(NOW, Duration.ofSeconds(seconds)))));
    }

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of("new", new Facts(true, WAITING, ABSENT, false, NONE, false), Step.INITIALIZE),
                Arguments.of("no conditions yet", new Facts(true, ABSENT, ABSENT, false, NONE, false), Step.INITIALIZE),
                Arguments.of("running", new Facts(true, SCHEDULED, ABSENT, true, NONE, false), Step.NOTHING),
                Arguments.of(
                        "started by an earlier leader",
                        new Facts(true, SCHEDULED, ABSENT, false, NONE, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "failed under an earlier leader",
                        new Facts(true, SCHEDULED, FAILED, false, NONE, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "failed, backoff not over",
                        new Facts(true, SCHEDULED, FAILED, false, retryIn(1), false),
                        Step.NOTHING),
                Arguments.of(
                        "failed, due", new Facts(true, SCHEDULED, FAILED, false, retryIn(0), false), Step.INITIALIZE),
                Arguments.of(
                        "permanent failure", new Facts(true, SCHEDULED, FAILED, false, PERMANENT, false), Step.NOTHING),
                Arguments.of(
                        "reset after a permanent failure",
                        new Facts(true, WAITING, ABSENT, false, PERMANENT, false),
                        Step.INITIALIZE),
                Arguments.of(
                        "only the Scheduled condition is missing",
                        new Facts(true, ABSENT, DONE, false, NONE, true),
                        Step.SCHEDULE),
                Arguments.of(
                        "initialised by an earlier leader",
                        new Facts(true, SCHEDULED, DONE, false, NONE, false),
                        Step.INSPECT),
                Arguments.of(
                        "cache incomplete, backoff not over",
                        new Facts(true, SCHEDULED, DONE, false, retryIn(1), false),
                        Step.NOTHING),
                Arguments.of("initialised", new Facts(true, SCHEDULED, DONE, false, NONE, true), Step.NOTHING),
                Arguments.of("disabled", new Facts(false, SCHEDULED, ABSENT, false, NONE, false), Step.NOTHING),
                Arguments.of(
                        "disabled while running",
                        new Facts(false, SCHEDULED, ABSENT, true, NONE, false),
                        Step.ABANDON));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void decides(String name, Facts facts, Step step) {
        assertThat(InitializationPlan.decide(facts, NOW)).as(name).isEqualTo(step);
    }

    /** The leader retries temporary failures only. */
    @ParameterizedTest
    @EnumSource(ArtifactException.Reason.class)
    void retriesExactlyTheTemporaryFailures(ArtifactException.Reason reason) {
        var failed = InitializationOutcome.of(new ArtifactException(reason, "why"));

        assertThat(failed.reason().fault() == Reason.Fault.ENVIRONMENT).isEqualTo(reason.isRetryable());
        assertThat(failed.message()).contains("why");
    }

    @ParameterizedTest
    @EnumSource(value = PolicyLoadException.Reason.class, mode = EnumSource.Mode.EXCLUDE, names = "PREPARATION_FAILED")
    void doesNotRetryFailuresThatThePolicyCauses(PolicyLoadException.Reason reason) {
        assertThat(InitializationOutcome.of(new PolicyLoadException(reason, "why", null))
                        .reason()
                        .fault())
                .isEqualTo(Reason.Fault.DEFECT);
    }

    /** Retry, because the operator may raise the limit, or the machine was busy. */
    @Test
    void retriesAModuleThatReachedAPreparationLimit() {
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
