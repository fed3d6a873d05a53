package io.portcullis.evaluator.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.testing.Loaders;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.evaluator.testing.WireExample;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replays recorded exchanges of Kubewarden's policy server with our own policies and compares byte for byte. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WireReplayTest {

    private static final String RUN_AS_1000 = "{\"runAsUser\":1000,\"runAsGroup\":1000,\"supplementalGroups\":[1000]}";

    private final WasmEngine engine = WasmEngines.best();
    private final WasmPolicyLoader loader = Loaders.wapc(engine);

    @AfterAll
    void stop() {
        loader.close();
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // example, policy id, mode, may mutate, custom message
                "01-allowed, priv, PROTECT, true, -",
                "02-rejected, priv, PROTECT, true, -",
                "03-mutated, ug, PROTECT, true, -",
                "04-mutation-not-allowed, ug-nomutate, PROTECT, false, -",
                "05-mutation-not-allowed-custom-msg, ug-nomutate-msg, PROTECT, false, custom rejection",
                "06-rejected-custom-message, priv-msg, PROTECT, true, custom rejection",
                "07-monitor-would-reject, priv-monitor, MONITOR, true, -",
                "08-monitor-would-mutate, ug-monitor, MONITOR, true, -",
                "16-unknown-extra-fields, priv, PROTECT, true, -",
                "17-no-kind-apiversion, priv, PROTECT, true, -",
                "29-delete-op, priv, PROTECT, true, -",
                "30-delete-op-mutating, ug, PROTECT, true, -",
                "60-sleep-100ms, sleep, PROTECT, true, -",
            })
    void answersReviewsLikeKubewarden(String example, String id, PolicyMode mode, boolean mayMutate, String message) {
        var exchange = WireExample.named(example);

        try (var policy = load(id, mode, mayMutate, Optional.ofNullable(message), Optional.empty())) {
            var answer = policy.validate(Reviews.admission(exchange.requestBody()));

            assertThat(text(ResponseWriter.review(answer))).isEqualTo(exchange.responseBody());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "71-audit-rejected, priv, PROTECT, true, -",
        "72-audit-monitor-rejects, priv-monitor, MONITOR, true, -",
        "73-audit-mutated-not-allowed-to, ug-nomutate, PROTECT, false, -",
        "74-audit-custom-message-ignored, priv-msg, PROTECT, true, custom rejection",
    })
    void auditsLikeKubewarden(String example, String id, PolicyMode mode, boolean mayMutate, String message) {
        var exchange = WireExample.named(example);

        try (var policy = load(id, mode, mayMutate, Optional.of(message), Optional.empty())) {
            var answer = policy.audit(Reviews.admission(exchange.requestBody())).response();

            assertThat(text(ResponseWriter.review(answer))).isEqualTo(exchange.responseBody());
        }
    }

    @ParameterizedTest
    @CsvSource({"61-timeout-4s-limit-2s", "62-timeout-per-policy-1s"})
    void stopsSleepingGuestsLikeKubewarden(String example) {
        var exchange = WireExample.named(example);

        try (var policy =
                load("sleep", PolicyMode.PROTECT, true, Optional.empty(), Optional.of(Duration.ofMillis(50)))) {
            var answer = policy.validate(Reviews.admission(exchange.requestBody()));

            assertThat(text(ResponseWriter.review(answer))).isEqualTo(exchange.responseBody());
        }
    }

    @ParameterizedTest
    @CsvSource({"80-raw-allowed, raw", "81-raw-rejected, raw", "84-raw-mutated, raw-mut", "88-raw-uid, raw"})
    void answersRawRequestsLikeKubewarden(String example, String id) {
        var exchange = WireExample.named(example);

        try (var policy = load(id, PolicyMode.PROTECT, true, Optional.empty(), Optional.empty())) {
            var answer = policy.validate(Reviews.raw(exchange.requestBody()));

            assertThat(text(ResponseWriter.raw(answer))).isEqualTo(exchange.responseBody());
        }
    }

    private LoadedPolicy load(
            String id, PolicyMode mode, boolean mayMutate, Optional<String> message, Optional<Duration> timeout) {
        var sample = switch (id.split("-", 2)[0]) {
            case "priv" -> SamplePolicy.PRIVILEGED_PODS;
            case "ug" -> SamplePolicy.RUN_AS_USER;
            case "sleep" -> SamplePolicy.SLEEPING;
            default -> id.equals("raw") ? SamplePolicy.RAW_VALIDATION : SamplePolicy.RAW_MUTATION;
        };
        var module = Loaders.module(settings(sample));
        var timed = new PolicyEntry.Module(
                module.module(), module.settings(), module.contextAwareResources(), timeout, module.hostCapabilities());
        return loader.load(id, new PolicyEntry.Single(timed, mode, mayMutate, message), _ -> sample.wasm());
    }

    private static String settings(SamplePolicy sample) {
        return switch (sample) {
            case RUN_AS_USER -> RUN_AS_1000;
            case SLEEPING -> "{\"sleepMilliseconds\":1}";
            case RAW_VALIDATION ->
                "{\"validUsers\":[\"wanda\",\"tonio\"],\"validActions\":[\"eats\"],\"validResources\":[\"hay\"]}";
            case RAW_MUTATION -> "{\"forbiddenResources\":[\"banana\"],\"defaultResource\":\"hay\"}";
            case PRIVILEGED_PODS, HOST_CALL -> "{}";
        };
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
