package io.portcullis.server.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment.GenerationWait;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Loaded;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import io.portcullis.server.evaluation.routing.RoutingTable;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that an unexpected failure rejects the request. An HTTP error would admit it where the webhook ignores failures.
 */
class FailedEvaluationTest {

    /** A policy that throws in one of its methods. */
    record Failing(Supplier<? extends Throwable> onAudit, Supplier<? extends Throwable> onEnforce)
            implements LoadedPolicy {

        private static void raise(Throwable failure) {
            switch (failure) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> {}
            }
        }

        @Override
        public PolicyVerdict audit(EvaluationRequest request, Deadline deadline) {
            raise(onAudit.get());
            return new PolicyVerdict.Decided(AdmissionResponse.allow(request.uid()));
        }

        @Override
        public AdmissionResponse enforce(PolicyVerdict verdict) {
            raise(onEnforce.get());
            return verdict.response();
        }

        @Override
        public void validateSettings() {}

        @Override
        public void close() {}
    }

    static Stream<Failing> failures() {
        return Stream.of(
                new Failing(() -> new IllegalStateException("the secret of a request"), Exception::new),
                new Failing(StackOverflowError::new, Exception::new),
                new Failing(OutOfMemoryError::new, Exception::new),
                new Failing(Exception::new, () -> new IllegalStateException("the secret of a request")),
                new Failing(Exception::new, StackOverflowError::new));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void rejectsTheRequestOnAnUnexpectedFailure(Failing policy) throws InterruptedException {
        var environment = new EvaluationEnvironment(GenerationWait.NONE);
        environment.swap(new RoutingTable(List.of(new Loaded(new Revision("p", 1, PolicyMode.PROTECT), policy))));
        try (var evaluations = new Evaluations(
                environment,
                new PoolLimits(1, 10, 10, Duration.ofMinutes(1)),
                new Metrics(),
                Tracing.OFF,
                "host",
                Optional.empty())) {
            var answer =
                    evaluations.evaluate(PolicyAddress.current("p"), RequestOrigin.VALIDATE, request(), Deadline.NONE);

            assertThat(answer).isInstanceOfSatisfying(EvaluationResult.Evaluated.class, judged -> {
                assertThat(judged.response().allowed()).isFalse();
                assertThat(judged.response().uid()).isEqualTo("u1");
                assertThat(judged.response().status().orElseThrow().toString())
                        .contains("internal error", "500")
                        .doesNotContain("secret");
            });
        }
    }

    private static EvaluationRequest request() {
        return Reviews.admission("""
                {"request":{"uid":"u1","operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},
                "resource":{"group":"","version":"v1","resource":"pods"},"userInfo":{},"object":{}}}""".getBytes(StandardCharsets.UTF_8));
    }
}
