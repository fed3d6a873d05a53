package io.portcullis.server.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment.GenerationWait;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import io.portcullis.server.evaluation.routing.RoutedPolicy;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Loaded;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import io.portcullis.server.evaluation.routing.RoutingTable;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests requests for a generation that this replica has not observed yet. The limit is an hour, so a test that should not
 * wait fails if it does.
 */
class LateGenerationTest {

    private static final EvaluationRequest REQUEST =
            Reviews.raw("{\"request\": {\"uid\": \"1\"}}".getBytes(StandardCharsets.UTF_8));
    private static final Duration LONG = Duration.ofHours(1);

    private final List<AutoCloseable> open = new ArrayList<>();
    private EvaluationEnvironment environment = environment(LONG, 2);
    private Evaluations evaluations = evaluations();

    private EvaluationEnvironment environment(Duration limit, int maxWaiting) {
        var made = new EvaluationEnvironment(new GenerationWait(limit, maxWaiting));
        made.swap(serving("p", 3, 5));
        return made;
    }

    private Evaluations evaluations() {
        var made = new Evaluations(
                environment,
                new PoolLimits(1, 10, 10, Duration.ofMinutes(1)),
                new Metrics(),
                Tracing.OFF,
                "host",
                Optional.empty());
        open.add(made);
        return made;
    }

    @AfterEach
    void close() throws Exception {
        for (var each : open) {
            each.close();
        }
    }

    private static RoutingTable serving(String id, long... generations) {
        return new RoutingTable(Arrays.stream(generations)
                .<RoutedPolicy>mapToObj(
                        generation -> new Loaded(new Revision(id, generation, PolicyMode.PROTECT), new AlwaysAllowed()))
                .toList());
    }

    private EvaluationResult evaluate(PolicyAddress address, Deadline deadline) {
        try {
            return evaluations.evaluate(address, RequestOrigin.VALIDATE_RAW, REQUEST, deadline);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<EvaluationResult> evaluateInBackground(long generation) {
        var answer = new CompletableFuture<EvaluationResult>();
        Thread.ofVirtual().start(() -> answer.complete(evaluate(PolicyAddress.of("p", generation), Deadline.NONE)));
        return answer;
    }

    private void awaitWaiting(int count) {
        await().until(() -> environment.waitingCount() == count);
    }

    @Test
    void evaluatesANewerGenerationWhenItArrives() {
        var answer = evaluateInBackground(7);
        awaitWaiting(1);
        environment.swap(serving("p", 3, 5, 6));
        assertThat(answer).isNotDone();

        environment.swap(serving("p", 5, 6, 7));

        assertThat(answer.join()).isInstanceOf(EvaluationResult.Evaluated.class);
        awaitWaiting(0);
    }

    @Test
    void answersUnknownWhenANewerGenerationArrivesInstead() {
        var answer = evaluateInBackground(6);
        awaitWaiting(1);

        environment.swap(serving("p", 5, 7));

        assertThat(answer.join()).isEqualTo(new EvaluationResult.UnknownPolicy(PolicyAddress.of("p", 6)));
    }

    @Test
    void answersUnknownAtOnceWhenThePolicyIsRemoved() {
        var answer = evaluateInBackground(6);
        awaitWaiting(1);

        environment.swap(serving("another", 1));

        assertThat(answer.join()).isInstanceOf(EvaluationResult.UnknownPolicy.class);
    }

    @Test
    void answersUnknownAtOnceToUnknownPoliciesAndOldGenerations() {
        for (var address : List.of(
                PolicyAddress.of("stranger", 6),
                PolicyAddress.current("stranger"),
                PolicyAddress.of("p", 4),
                PolicyAddress.of("p", 1))) {
            assertThat(evaluate(address, Deadline.NONE)).isEqualTo(new EvaluationResult.UnknownPolicy(address));
        }
    }

    @Test
    void stopsWaitingAtTheLimit() {
        environment = environment(Duration.ofMillis(20), 2);
        evaluations = evaluations();

        assertThat(evaluate(PolicyAddress.of("p", 6), Deadline.NONE))
                .isInstanceOf(EvaluationResult.UnknownPolicy.class);
        assertThat(environment.waitingCount()).isZero();
    }

    @Test
    void stopsWaitingAtHalfOfTheClientTimeout() {
        var deadline = Deadline.after(Duration.ofMillis(200));

        assertThat(evaluate(PolicyAddress.of("p", 6), deadline)).isInstanceOf(EvaluationResult.UnknownPolicy.class);
        assertThat(evaluate(PolicyAddress.of("p", 6), Deadline.after(Duration.ZERO)))
                .isInstanceOf(EvaluationResult.UnknownPolicy.class);
    }

    @Test
    void limitsTheNumberOfWaitingRequests() {
        var first = evaluateInBackground(6);
        var second = evaluateInBackground(6);
        awaitWaiting(2);

        assertThat(evaluate(PolicyAddress.of("p", 6), Deadline.NONE))
                .isInstanceOf(EvaluationResult.UnknownPolicy.class);

        environment.swap(serving("p", 6));
        assertThat(List.of(first.join(), second.join())).hasOnlyElementsOfType(EvaluationResult.Evaluated.class);
    }

    @Test
    void doesNotWaitWhenWaitingIsDisabled() {
        environment = new EvaluationEnvironment(GenerationWait.NONE);
        environment.swap(serving("p", 5));
        evaluations = evaluations();

        assertThat(evaluate(PolicyAddress.of("p", 6), Deadline.NONE))
                .isInstanceOf(EvaluationResult.UnknownPolicy.class);
    }
}
