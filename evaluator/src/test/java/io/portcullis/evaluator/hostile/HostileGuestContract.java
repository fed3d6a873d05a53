package io.portcullis.evaluator.hostile;

import static io.portcullis.evaluator.testing.HostileGuests.call;
import static io.portcullis.evaluator.testing.HostileGuests.code;
import static io.portcullis.evaluator.testing.HostileGuests.constant;
import static io.portcullis.evaluator.testing.HostileGuests.dropped;
import static io.portcullis.evaluator.testing.HostileGuests.fill;
import static io.portcullis.evaluator.testing.HostileGuests.forever;
import static io.portcullis.evaluator.testing.HostileGuests.store;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.rego.BuiltinErrors;
import io.portcullis.evaluator.rego.RegoDialect;
import io.portcullis.evaluator.rego.RegoRuntime;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.review.Verdicts;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.evaluator.testing.HostileGuests;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Checks that a hostile guest ends only its own request and that the next guest runs normally. The timeout only ends a
 * test that hangs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class HostileGuestContract {

    private static final String ACCEPT = "{\"accepted\":true}";
    private static final long QUOTA = 16 << 10;

    private static final EvaluationRequest REQUEST = Reviews.admission("""
            {"request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1",\
            "resource":"pods"},"operation":"CREATE","userInfo":{},"object":{"a":1}}}""".getBytes(StandardCharsets.UTF_8));

    private final WasmEngine engine;
    private final LogQuota quota = new LogQuota(QUOTA, 1_000, System::nanoTime);
    private final GatedHostCapabilities capabilities = new GatedHostCapabilities(
            (_, _) -> {
                throw new HostCallException("nothing here");
            },
            PolicyLog.slf4j(),
            HostCallObserver.none(),
            quota);

    HostileGuestContract(WasmEngine engine) {
        this.engine = engine;
    }

    @AfterAll
    void stop() {
        engine.close();
    }

    static Stream<Arguments> guests() {
        int large = Integer.MIN_VALUE; // 2 GiB as an unsigned number
        return Stream.of(
                guest("a response of 2 GiB", call(HostileGuests.GUEST_RESPONSE, 0, large)),
                guest("a response of 4 GiB", call(HostileGuests.GUEST_RESPONSE, 0, -1)),
                guest("a response behind the memory", call(HostileGuests.GUEST_RESPONSE, -1, 100)),
                guest("an error of 4 GiB", call(HostileGuests.GUEST_ERROR, 0, -1)),
                guest("a log line of 4 GiB", call(HostileGuests.CONSOLE_LOG, 0, -1)),
                guest("a host call of 2 GiB", dropped(call(HostileGuests.HOST_CALL, 0, 1, 0, 1, 0, 1, 0, large))),
                guest("a binding of 2 GiB", dropped(call(HostileGuests.HOST_CALL, 0, large, 0, 1, 0, 1, 0, 1))),
                guest("an operation of 60 KiB", dropped(call(HostileGuests.HOST_CALL, 0, 1, 0, 1, 0, 60_000, 0, 1))),
                guest("random bytes of 4 GiB", dropped(call(HostileGuests.RANDOM, 0, -1))),
                guest("random bytes forever", forever(dropped(call(HostileGuests.RANDOM, 0, 65_536)))),
                guest("an exit", call(HostileGuests.EXIT, 0)),
                guest("an exit with a large code", call(HostileGuests.EXIT, -1)),
                guest(
                        "a sleep of 500 years",
                        code(sleepForever(), dropped(call(HostileGuests.POLL, 1024, 2048, 1, 4096)))),
                guest("polling forever", forever(dropped(call(HostileGuests.POLL, 1024, 2048, -1, 4096)))),
                guest("an endless loop", forever(code())),
                guest("host calls forever", forever(dropped(call(HostileGuests.HOST_CALL, 0, 1, 0, 1, 0, 1, 0, 1)))),
                guest("responses forever", forever(call(HostileGuests.GUEST_RESPONSE, 0, 65_536))),
                guest("errors forever", forever(call(HostileGuests.GUEST_ERROR, 512, 60_000))),
                guest("prints forever", forever(dropped(call(HostileGuests.FD_WRITE, 2, 0, 1, 64)))),
                guest("growing memory forever", forever(code(constant(1), 0x40, 0, 0x1a))));
    }

    private static Arguments guest(String what, byte[] instructions) {
        return Arguments.of(what, instructions);
    }

    /** A subscription to the monotonic clock at address 1024 with the largest possible timeout. */
    private static byte[] sleepForever() {
        return code(store(1024 + 16, 1), fill(1024 + 24, 0x7f, 8));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("guests")
    void hostileWapcGuestEndsOnlyItsOwnRequest(String what, byte[] instructions) {
        var verdict = evaluate(wapc(), HostileGuests.wapc(1, Map.of(), instructions));

        assertThat(verdict.response().allowed()).as(what).isFalse();
        assertThat(message(verdict)).hasSizeBetween(1, 70_000);
        assertNextGuestIsAllowed();
    }

    @Test
    void rejectsAMillionBuffersInOneWrite() {
        var answer = code(
                dropped(call(HostileGuests.FD_WRITE, 2, 0, 1_000_000, 64)),
                call(HostileGuests.GUEST_RESPONSE, 512, ACCEPT.length()));

        assertThat(evaluate(wapc(), HostileGuests.wapc(1, Map.of(512, ACCEPT), answer))
                        .response()
                        .allowed())
                .isTrue();
        assertNextGuestIsAllowed();
    }

    static Stream<String> invalidAnswers() {
        return Stream.of(
                "{\"accepted\":false,\"accepted\":true}",
                "{\"accepted\":true,\"accepted\":true}",
                "{\"accepted\":true,\"acc\\u0065pted\":true}",
                "{\"accepted\":true,\"warnings\":[],\"warnings\":null}",
                "{\"accepted\":true,\"x\":1,\"x\":1}",
                "{\"accepted\":true,\"audit_annotations\":{\"a\":\"1\",\"a\":\"2\"}}",
                "{\"accepted\":true,\"mutated_object\":{\"a\":1,\"a\":2}}",
                "{\"accepted\":true,\"mutated_object\":{\"a\":{\"b\":1,\"b\":2}}}",
                "{\"accepted\":true}{\"accepted\":true}",
                "{\"accepted\":true} true",
                "{\"accepted\":true,}",
                "{\"accepted\":\"true\"}",
                "{\"accepted\":1}",
                "[true]",
                "",
                "\u0000",
                "{\"accepted\":true,\"x\":" + "[".repeat(100_000),
                "{\"accepted\":true,\"x\":" + "[".repeat(200) + "]".repeat(200) + "}",
                "{\"accepted\":true,\"mutated_object\":{\"a\":1e400}}",
                "{\"accepted\":true,\"mutated_object\":{\"a\":" + "9".repeat(100_000) + "}}",
                "{\"accepted\":true,\"mutated_object\":{\"a\":1e-" + "9".repeat(2_000) + "}}",
                "{\"accepted\":true,\"message\":\"\\ud800\"}",
                "{\"accepted\":true,\"message\":\"\u0001\"}",
                "{\"accepted\":true,\"code\":" + "1".repeat(100_000) + "}");
    }

    @ParameterizedTest
    @MethodSource("invalidAnswers")
    void rejectsRequestsForInvalidAnswers(String answer) {
        var verdict = evaluate(wapc(), HostileGuests.answering(answer));

        assertThat(cause(verdict)).isEqualTo(EvaluationFailure.INVALID_ANSWER);
        assertThat(verdict.response().allowed()).isFalse();
        assertThat(message(verdict)).hasSizeBetween(1, 2_000);
    }

    @Test
    void acceptsALongKeyInAMutatedObject() {
        var answer = "{\"accepted\":true,\"mutated_object\":{\"" + "k".repeat(60_000) + "\":\"" + "v".repeat(60_000)
                + "\"}}";
        var response = evaluate(wapc(), HostileGuests.answering(answer)).response();

        assertThat(response.allowed()).isTrue();
        assertThat(response.patch()).isPresent();
    }

    @Test
    void limitsTheLogOutputOfAGuestThatLogsForever() {
        var logs = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger("io.portcullis.evaluator.wapc");
        logs.start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(logs);
        try {
            var flood = forever(call(HostileGuests.CONSOLE_LOG, 0, 60_000));
            for (int round = 0; round < 3; round++) {
                evaluate(wapc(), HostileGuests.wapc(1, Map.of(), code(fill(0, 'x', 60_000), flood)), "flood");
            }
        } finally {
            logger.detachAppender(logs);
            logger.setLevel(null);
        }

        long bytes = logs.list.stream()
                .flatMap(event -> event.getKeyValuePairs().stream())
                .mapToLong(pair -> String.valueOf(pair.value).length())
                .sum();
        assertThat(logs.list).isNotEmpty();
        assertThat(bytes).isLessThanOrEqualTo(QUOTA);
        assertThat(quota.droppedLines()).isPositive();
        assertNextGuestIsAllowed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"(a*)*b|a", "a*b|a", "(a?){100}b"})
    void stopsARegoGuestAtItsDeadlineInsideABuiltin(String regex) {
        var data = data("regex.split", "\"" + regex + "\"");
        int text = 65_536;
        var eval = code(
                fill(text + 1, 'a', 1_500_000),
                store(text, '"'),
                store(text + 1_500_001, '"'),
                dropped(call(HostileGuests.BUILTIN2, 0, 0, 2048, text)));
        var verdict = evaluate(rego(), HostileGuests.rego(32, data, eval, code(0x20, 0)));

        assertThat(verdict.response().allowed()).isFalse();
        assertNextGuestIsAllowed();
    }

    @Test
    void limitsTheOperandsThatARegoGuestPassesToABuiltin() {
        int text = 65_536;
        var eval = code(
                fill(text + 1, 'a', 6_000_000),
                store(text, '"'),
                store(text + 6_000_001, '"'),
                dropped(call(HostileGuests.BUILTIN1, 0, 0, text)));
        var verdict = evaluate(rego(), HostileGuests.rego(128, data("hex.encode", ""), eval, code(0x20, 0)));

        assertThat(verdict.response().allowed()).isFalse();
        assertThat(message(verdict)).contains("limit").contains(String.valueOf(4 << 20));
    }

    @Test
    void stopsARegoGuestWhoseDumpCallsABuiltin() {
        var data = data("hex.encode", "\"x\"");
        var recursion = code(call(HostileGuests.BUILTIN1, 0, 0, 2048));
        var eval = dropped(call(HostileGuests.BUILTIN1, 0, 0, 2048));
        // Only values at 2048 recurse, because the tables must stay readable.
        var dump = code(0x20, 0, constant(2048), 0x46, 0x04, 0x7f, recursion, 0x05, 0x20, 0, 0x0b);
        var verdict = evaluate(rego(), HostileGuests.rego(1, data, eval, dump));

        assertThat(verdict.response().allowed()).isFalse();
        assertThat(message(verdict)).contains("call stack exhausted");
        assertThat(cause(verdict)).isEqualTo(EvaluationFailure.TRAP);
        assertNextGuestIsAllowed();
    }

    @Test
    void stopsARegoGuestThatPrintsForeverAndDropsItsLines() {
        long before = quota.droppedLines();
        var eval = forever(call(HostileGuests.PRINTLN, 2048));
        var verdict = evaluate(rego(), HostileGuests.rego(1, data("hex.encode", "line"), eval, code(0x20, 0)));

        assertThat(verdict.response().allowed()).isFalse();
        assertThat(cause(verdict)).isEqualTo(EvaluationFailure.DEADLINE);
        assertThat(quota.droppedLines()).isGreaterThan(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"result\":{\"response\":{\"uid\":\"\",\"allowed\":false,\"allowed\":true}}}]",
                "[{\"result\":{\"response\":{\"uid\":\"\",\"allowed\":true}}}] x",
                "[{\"result\":{\"response\":{\"uid\":\"\",\"allowed\":1}}}]",
            })
    void rejectsRequestsForInvalidRegoResults(String result) {
        var data = new TreeMap<>(data("hex.encode", ""));
        data.put(1024, result);
        var verdict = evaluate(rego(), HostileGuests.rego(1, data, code(), code(0x20, 0)));

        assertThat(verdict.response().allowed()).isFalse();
    }

    @Test
    void allowsAWellBehavedRegoGuest() {
        var verdict = evaluate(rego(), HostileGuests.rego(1, data("hex.encode", ""), code(), code(0x20, 0)));

        assertThat(verdict.response().allowed()).isTrue();
    }

    private static Map<Integer, String> data(String builtin, String operand) {
        return Map.of(
                256,
                "{\"" + builtin + "\":0}",
                512,
                "{\"policy\":0}",
                1024,
                "[{\"result\":{\"response\":{\"uid\":\"\",\"allowed\":true}}}]",
                2048,
                operand);
    }

    private PolicyRuntime wapc() {
        return new WapcRuntime(capabilities);
    }

    private PolicyRuntime rego() {
        return new RegoRuntime(RegoDialect.OPA, capabilities, BuiltinErrors.UNDEFINED, Clock.systemUTC());
    }

    private void assertNextGuestIsAllowed() {
        assertThat(evaluate(wapc(), HostileGuests.answering(ACCEPT)).response().allowed())
                .isTrue();
        assertThat(engine.guestMemory().usedBytes()).isZero();
    }

    private PolicyVerdict evaluate(PolicyRuntime runtime, byte[] wasm) {
        return evaluate(runtime, wasm, "p");
    }

    /** Starts the time limit of the evaluation after compilation. */
    private PolicyVerdict evaluate(PolicyRuntime runtime, byte[] wasm, String policyId) {
        try (var module = runtime.link(engine.compile(wasm))) {
            var caller = new Caller(policyId, List.of(), Set.of(), Deadline.after(Duration.ofMillis(700)));
            var context = new ModuleContext(caller, new byte[] {'{', '}'}, SizeLimits.DEFAULT);
            return Verdicts.of(module.evaluate(REQUEST, context), REQUEST);
        }
    }

    private static EvaluationFailure cause(PolicyVerdict verdict) {
        return switch (verdict) {
            case PolicyVerdict.Failed(var cause, var _) -> cause;
            case PolicyVerdict.Decided(var response) -> throw new AssertionError("decided: " + response);
        };
    }

    private static String message(PolicyVerdict verdict) {
        return verdict.response().status().flatMap(Status::message).orElse("");
    }
}
