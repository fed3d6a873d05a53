package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The example of the lifecycle RFC: a policy is created on a server with three replicas and then updated. The texts are those
 * of the RFC, because scripts compare them.
 */
class StatusTransitionsTest {

    private static final String WAITING =
            "Scheduled False WaitingForPolicyServer: The policy was created and is pending to be loaded.";
    private static final String SCHEDULED =
            "Scheduled True PolicyScheduled: The policy was scheduled by the PolicyServer.";
    private static final String INITIALIZED =
            "Initialized True PolicyInitialized: The policy was successfully initialized.";
    private static final String READY = "Ready True PolicyReady: The policy is ready to be used.";

    private final Narrator narrator = new Narrator();

    /** Returns the conditions of the policy after a command, in their order. */
    private List<String> after(String command) {
        narrator.execute(command);
        return Objects.requireNonNull(narrator.status()).conditions().stream()
                .filter(condition -> condition.generation() > 0)
                .map(StatusTransitionsTest::text)
                .toList();
    }

    private static String text(Condition condition) {
        return of(
                condition.generation(),
                condition.replica(),
                "%s %s %s: %s"
                        .formatted(
                                condition.type(),
                                condition.status().wireName(),
                                condition.reason(),
                                condition.message()));
    }

    private static String of(long generation, int replica, String condition) {
        return "generation " + generation
                + (replica == Condition.NO_REPLICA ? "" : " replica " + replica)
                + " " + condition;
    }

    private static String of(long generation, String condition) {
        return of(generation, Condition.NO_REPLICA, condition);
    }

    @Test
    void followsTheExampleOfTheRfcWithThreeReplicas() {
        narrator.execute("server default created 3");

        assertThat(after("policy created server=default")).containsExactly(of(1, WAITING));
        assertThat(after("leader schedules")).containsExactly(of(1, SCHEDULED));
        assertThat(after("leader initializes")).containsExactly(of(1, SCHEDULED), of(1, INITIALIZED));
        assertThat(after("replica 0 loads")).containsExactly(of(1, SCHEDULED), of(1, INITIALIZED), of(1, 0, READY));
        after("replica 1 loads");
        assertThat(after("replica 2 loads"))
                .containsExactly(
                        of(1, SCHEDULED), of(1, INITIALIZED), of(1, 0, READY), of(1, 1, READY), of(1, 2, READY));

        assertThat(after("policy edited"))
                .containsExactly(
                        of(1, SCHEDULED),
                        of(1, INITIALIZED),
                        of(1, 0, READY),
                        of(1, 1, READY),
                        of(1, 2, READY),
                        of(2, WAITING));
        assertThat(after("leader schedules"))
                .containsExactly(
                        of(1, SCHEDULED),
                        of(1, INITIALIZED),
                        of(1, 0, READY),
                        of(1, 1, READY),
                        of(1, 2, READY),
                        of(2, SCHEDULED));
        assertThat(after("leader initializes"))
                .containsExactly(
                        of(1, SCHEDULED),
                        of(1, INITIALIZED),
                        of(1, 0, READY),
                        of(1, 1, READY),
                        of(1, 2, READY),
                        of(2, SCHEDULED),
                        of(2, INITIALIZED));
        after("replica 0 loads");
        after("replica 1 loads");
        assertThat(after("replica 2 loads"))
                .as("the conditions of the old generation are gone")
                .containsExactly(
                        of(2, SCHEDULED), of(2, INITIALIZED), of(2, 0, READY), of(2, 1, READY), of(2, 2, READY));
    }
}
