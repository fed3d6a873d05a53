package io.portcullis.evaluator.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyClosedException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities.HostCall;
import io.portcullis.evaluator.testing.Loaders;
import io.portcullis.evaluator.testing.MemoryCache;
import io.portcullis.evaluator.testing.Modules;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WasmPolicyLoaderTest {

    private static final EvaluationRequest REQUEST =
            new EvaluationRequest.Raw("u1", "{\"user\":\"wanda\"}".getBytes(StandardCharsets.UTF_8));

    private final WasmEngine engine = WasmEngines.best();

    @AfterAll
    void stop() {
        engine.close();
    }

    @Test
    void sharesOneModuleAmongPoliciesAndReleasesItWithTheLastPolicy() {
        var loader = Loaders.wapc(engine);
        var one = loader.load("one", Loaders.entry("{}"), _ -> SamplePolicy.PRIVILEGED_PODS.wasm());
        var two = loader.load("two", Loaders.entry("{}"), _ -> SamplePolicy.PRIVILEGED_PODS.wasm());
        assertThat(loader.moduleCount()).isEqualTo(1);

        one.close();
        assertThat(loader.moduleCount()).isEqualTo(1);
        two.close();
        assertThat(loader.moduleCount()).isZero();
    }

    @Test
    void releasesEverythingWhenLoadingFails() {
        var loader = Loaders.wapc(engine);

        assertThatThrownBy(() -> loader.load("p", Loaders.entry("{}"), _ -> SamplePolicy.RAW_VALIDATION.wasm()))
                .isInstanceOf(PolicyLoadException.class);
        assertThatThrownBy(() -> loader.load(
                        "p",
                        new PolicyEntry.Group(Map.of("a", Loaders.module("{}")), "b()", "no", PolicyMode.PROTECT),
                        _ -> SamplePolicy.PRIVILEGED_PODS.wasm()))
                .hasMessage("the expression of group p is not valid: 'b' is not a member of the group (line 1, position"
                        + " 2)");

        assertThat(loader.moduleCount()).isZero();
    }

    @Test
    void finishesRunningEvaluationsWhenAPolicyIsClosed() throws InterruptedException {
        var inCall = new CountDownLatch(1);
        var closed = new CountDownLatch(1);
        var loader = Loaders.wapc(engine, new MemoryCache(), _ -> {
            inCall.countDown();
            awaitQuietly(closed);
            return "late".getBytes(StandardCharsets.UTF_8);
        });
        var policy = loader.load("p", Loaders.entry("{}"), _ -> SamplePolicy.HOST_CALL.wasm());
        var answer = new AtomicReference<AdmissionResponse>();
        var evaluation = Thread.ofPlatform()
                .start(() -> answer.set(policy.audit(admission()).response()));

        inCall.await();
        policy.close();
        assertThat(loader.moduleCount()).isEqualTo(1);
        closed.countDown();
        evaluation.join();

        assertThat(message(answer.get())).isEqualTo("ok: late");
        assertThat(loader.moduleCount()).isZero();
        assertThatThrownBy(() -> policy.audit(admission())).isInstanceOf(PolicyClosedException.class);
    }

    @Test
    void passesTheCallerToHostCallsAndTheAnswerToTheGuest() {
        var calls = new ArrayList<HostCall>();
        var loader = Loaders.wapc(engine, new MemoryCache(), call -> {
            calls.add(call);
            if (call.operation().equals("fail")) {
                throw new HostCallException("unknown operation: fail");
            }
            return "pong".getBytes(StandardCharsets.UTF_8);
        });
        var settings = "{\"namespace\":\"n\",\"operation\":\"%s\",\"payload\":{\"a\":1}}";

        assertThat(message(audit(loader, settings.formatted("ping")))).isEqualTo("ok: pong");
        assertThat(message(audit(loader, settings.formatted("fail"))))
                .isEqualTo("error: Host error: unknown operation: fail");
        assertThat(calls)
                .extracting(call -> call.caller().policyId() + " " + call.binding() + " " + call.namespace() + " "
                        + new String(call.payload(), StandardCharsets.UTF_8))
                .containsOnly("p kubewarden n {\"a\":1}");
    }

    @Test
    void compilesOnceWithACache() {
        var cache = new MemoryCache();
        var leader = new CountingEngine(engine);
        var replica = new CountingEngine(engine);

        loadAndUse(leader, cache);
        loadAndUse(replica, cache);

        assertThat(leader).returns(1, CountingEngine::compilations).returns(0, CountingEngine::loads);
        assertThat(replica).returns(0, CountingEngine::compilations).returns(1, CountingEngine::loads);
        assertThat(cache.size()).isEqualTo(1);
    }

    @Test
    void compilesAgainWhenTheCacheIsDamaged() {
        var cache = new MemoryCache();
        loadAndUse(engine, cache);
        var replica = new CountingEngine(engine);

        cache.truncate();

        loadAndUse(replica, cache);
        assertThat(replica.compilations()).isEqualTo(1);
    }

    /** Counts the modules that an engine compiles, and the compiled modules that it loads. */
    private static final class CountingEngine implements WasmEngine {

        private final WasmEngine engine;
        private int compilations;
        private int loads;

        CountingEngine(WasmEngine engine) {
            this.engine = engine;
        }

        int compilations() {
            return compilations;
        }

        int loads() {
            return loads;
        }

        @Override
        public CompiledModule compile(byte[] wasm) {
            compilations++;
            return engine.compile(wasm);
        }

        @Override
        public CompiledModule load(byte[] serialised) {
            var module = engine.load(serialised);
            loads++;
            return module;
        }

        @Override
        public String name() {
            return engine.name();
        }

        @Override
        public String fingerprint() {
            return engine.fingerprint();
        }

        @Override
        public void validate(byte[] wasm) {
            engine.validate(wasm);
        }

        @Override
        public MemoryBudget guestMemory() {
            return engine.guestMemory();
        }

        @Override
        public void close() {
            // The engine outlives this test method.
        }
    }

    @Test
    void reportsWhyAPolicyCannotBeLoaded() {
        var valid = "{\"rules\":[],\"mutating\":false,\"protocolVersion\":\"v1\"%s}";

        assertFails(
                "<html>".getBytes(StandardCharsets.UTF_8),
                Reason.INVALID_MODULE,
                "bootstrap failure: p: invalid wasm file");
        assertFails(
                Modules.empty(),
                Reason.INVALID_METADATA,
                "bootstrap failure: p: Policy is missing protocol version, which is required for KubewardenWapc"
                        + " execution mode");
        assertFails(
                Modules.withMetadata(valid.formatted(",\"executionMode\":\"opa\"")),
                Reason.INVALID_METADATA,
                "bootstrap failure: p: execution mode opa is not supported");
        assertFails(
                Modules.withMetadata(valid.formatted("")),
                Reason.INVALID_MODULE,
                "bootstrap failure: p: Guest call function (__guest_call) not exported by wasm module.");
        assertFails(
                SamplePolicy.misbehaving("unknown-import"),
                Reason.LINK_ERROR,
                "bootstrap failure: WebAssembly failure: cannot build PolicyEvaluatorPre: ");
        assertFails(
                SamplePolicy.misbehaving("wrong-signature"),
                Reason.INVALID_MODULE,
                "bootstrap failure: p: Guest call function (__guest_call) not exported by wasm module.");
        assertFails(
                SamplePolicy.misbehaving("trap-in-wapc-init"),
                Reason.INVALID_MODULE,
                "bootstrap failure: p: WebAssembly failure: cannot rehydrate PolicyEvaluatorPre: Guest initialization"
                        + " failure: ");
    }

    @Test
    void rejectsSettingsThatThePolicyRejects() {
        assertThatThrownBy(() -> Loaders.wapc(engine).load("p", Loaders.entry("{}"), _ -> SamplePolicy.SLEEPING.wasm()))
                .hasMessage("Policy settings are invalid: sleep_milliseconds must be set and be major than 0")
                .extracting(e -> ((PolicyLoadException) e).rejection("p"))
                .isEqualTo("Policy settings are invalid: sleep_milliseconds must be set and be major than 0");
    }

    @Test
    void rejectsUnparsableSettings() {
        assertThatThrownBy(() -> Loaders.wapc(engine)
                        .load("p", Loaders.entry("{\"sleepMilliseconds\":\"abc\"}"), _ -> SamplePolicy.SLEEPING.wasm()))
                .hasMessageStartingWith("Policy settings are invalid: ");
    }

    @Test
    void rejectsInvalidCapabilityPatterns() {
        var module = Loaders.module("{}");
        var entry = new PolicyEntry.Single(
                new PolicyEntry.Module("m", module.settings(), Set.of(), Optional.empty(), List.of("bad")),
                PolicyMode.PROTECT,
                false,
                Optional.empty());

        assertThatThrownBy(() -> Loaders.wapc(engine).load("p", entry, _ -> SamplePolicy.PRIVILEGED_PODS.wasm()))
                .hasMessageStartingWith(
                        "invalid hostCapabilities pattern for policy p: invalid pattern 'bad': unknown segment 'bad'");
    }

    /** For every misbehaviour of a guest, the response is a rejection with code 500 that contains the cause. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "endless-loop          |Policy execution interrupted because it exceeded the allowed execution time",
                "sleeper               |Policy execution interrupted because it exceeded the allowed execution time",
                "no-response           |internal server error: Guest call failure: No error message OR response set"
                        + " for call success",
                "no-error              |internal server error: Guest call failure: No error message set for call"
                        + " failure",
                "empty-response        |internal server error: invalid response from policy: EOF while parsing a value"
                        + " at line 1 column 0",
                "invalid-utf8-response |internal server error: invalid response from policy: ",
                "invalid-utf8-error    |internal server error: Guest call failure: ",
                "invalid-utf8-log      |internal server error: Guest call failure: ",
                "pointer-response      |internal server error: Guest call failure: ",
                "pointer-request       |internal server error: Guest call failure: ",
                "pointer-host-call     |internal server error: Guest call failure: ",
                "huge-response         |internal server error: Guest call failure: guest hands over ",
                "trap-in-validate      |internal server error: Guest call failure: ",
                "deep-recursion        |internal server error: Guest call failure: ",
                "exit-zero-in-validate |internal server error: Guest call failure: ",
            })
    void rejectsRequestsWhenAGuestMisbehaves(String guest, String message) {
        try (var policy = misbehaving(guest)) {
            var answer = policy.audit(REQUEST).response();

            assertThat(answer.allowed()).isFalse();
            assertThat(answer.uid()).isEqualTo("u1");
            assertThat(message(answer)).startsWith(message);
            assertThat(answer.status().orElseThrow().code()).contains(500);
        }
    }

    @Test
    void reportsThePanicOfAGuestAndItsFunctions() {
        try (var policy = misbehaving("panic-in-validate")) {
            assertThat(message(policy.audit(REQUEST).response()))
                    .startsWith("internal server error: Guest call failure: ")
                    .endsWith(": thread '<unnamed>' panicked at src/lib.rs:7:5: the pod has  [31mno containers"
                            + " (in my_policy::first_container < my_policy::validate)");
        }
    }

    @ParameterizedTest
    @CsvSource({"counter, memory=0 global=0", "memory-bomb, ''", "exit-zero-in-start, ''"})
    void keepsHarmlessGuestsRunning(String guest, String message) {
        try (var policy = misbehaving(guest)) {
            for (int i = 0; i < 3; i++) {
                var answer = policy.audit(REQUEST).response();

                assertThat(answer.allowed()).isTrue();
                assertThat(message(answer)).isEqualTo(message);
            }
        }
    }

    private static void loadAndUse(WasmEngine engine, CompiledModuleCache cache) {
        try (var loader = Loaders.wapc(engine, cache, _ -> new byte[0]);
                var policy = loader.load("p", Loaders.entry("{}"), _ -> SamplePolicy.PRIVILEGED_PODS.wasm())) {
            assertThat(message(policy.audit(admission()).response())).isEqualTo("Cannot parse validation request");
        }
    }

    private LoadedPolicy misbehaving(String guest) {
        var module = Loaders.module("{}");
        var hurried = new PolicyEntry.Module(
                module.module(),
                module.settings(),
                Set.of(),
                Optional.of(
                        guest.equals("endless-loop") || guest.equals("sleeper")
                                ? Duration.ofMillis(100)
                                : Duration.ofSeconds(20)),
                List.of());
        return Loaders.wapc(engine)
                .load(
                        guest,
                        new PolicyEntry.Single(hurried, PolicyMode.PROTECT, false, Optional.empty()),
                        _ -> SamplePolicy.misbehaving(guest));
    }

    private void assertFails(byte[] wasm, Reason reason, String rejection) {
        assertThatThrownBy(() -> Loaders.wapc(engine).load("p", Loaders.entry("{}"), _ -> wasm))
                .asInstanceOf(InstanceOfAssertFactories.type(PolicyLoadException.class))
                .satisfies(e -> assertThat(e.rejection("p")).startsWith(rejection))
                .extracting(PolicyLoadException::reason)
                .isEqualTo(reason);
    }

    private static AdmissionResponse audit(WasmPolicyLoader loader, String settings) {
        try (var policy = loader.load("p", Loaders.entry(settings), _ -> SamplePolicy.HOST_CALL.wasm())) {
            return policy.audit(admission()).response();
        }
    }

    /** Returns the smallest request that policies of the SDK can parse; it contains no pod. */
    private static EvaluationRequest admission() {
        return new EvaluationRequest.Raw("u1", """
            {"uid":"u1","kind":{"group":"","version":"v1","kind":"Pod"},\
            "resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{}}\
            """.getBytes(StandardCharsets.UTF_8));
    }

    private static String message(AdmissionResponse response) {
        return response.status().flatMap(AdmissionResponse.Status::message).orElse("");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
