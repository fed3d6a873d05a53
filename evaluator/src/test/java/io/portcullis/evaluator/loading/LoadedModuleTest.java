package io.portcullis.evaluator.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.testing.HostileGuests;
import io.portcullis.evaluator.testing.Loaders;
import io.portcullis.evaluator.testing.MemoryCache;
import io.portcullis.evaluator.testing.Modules;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadedModuleTest {

    private final WasmEngine engine = WasmEngines.best();

    @AfterAll
    void stop() {
        engine.close();
    }

    @Test
    void rejectsAMutationWhenTheMemoryBudgetIsExceeded() {
        var budget = new MemoryBudget("the test budget", 8_000);
        var rejected = evaluate("{\"a\":[" + "{},".repeat(100) + "{}]}", budget);
        var accepted = evaluate("{\"a\":2}", budget);

        assertThat(rejected.allowed()).isFalse();
        assertThat(rejected.status().flatMap(Status::message).orElse(""))
                .startsWith("the test budget is too small for the policy")
                .contains("8000");
        assertThat(accepted.allowed()).isTrue();
        assertThat(accepted.patch()).isPresent();
        assertThat(budget.usedBytes()).isZero();
    }

    private AdmissionResponse evaluate(String mutated, MemoryBudget budget) {
        var limits = new EvaluationLimits(SizeLimits.DEFAULT, Optional.of(Duration.ofMillis(500)), budget);
        var loader = new WasmPolicyLoader(
                engine,
                new MemoryCache(),
                Map.of(ExecutionMode.KUBEWARDEN_WAPC, new WapcRuntime(call -> {
                    throw new HostCallException("unknown namespace: " + call.namespace());
                })),
                limits);
        var request = Reviews.admission("""
                {"request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"",\
                "version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{},"object":{"a":1}}}""".getBytes(StandardCharsets.UTF_8));
        PolicyEntry entry = Loaders.entry("{}");
        try (var policy = loader.load("p", entry, _ -> mutating(mutated))) {
            return policy.audit(request, Deadline.NONE).response();
        }
    }

    /** A guest that answers all operations. */
    private static byte[] mutating(String object) {
        var guest = HostileGuests.answering("{\"valid\":true,\"accepted\":true,\"mutated_object\":" + object + "}");
        var metadata = Modules.withMetadata("{\"protocolVersion\":\"v1\",\"rules\":[],\"mutating\":true}");
        return new BinaryWriter()
                .raw(guest)
                .raw(metadata, Modules.empty().length, metadata.length - Modules.empty().length)
                .bytes();
    }
}
