package io.portcullis.evaluator.wapc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.review.Verdicts;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.evaluator.testing.WireExample;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WapcRuntimeTest {

    private static final List<byte[]> BODIES = Stream.of("01-allowed", "02-rejected", "29-delete-op", "80-raw-allowed")
            .map(name -> WireExample.named(name).requestBody())
            .toList();
    private static final ModuleContext CONTEXT = new ModuleContext(
            new Caller("p", List.of(), Set.of(), Deadline.NONE),
            "{\"namespace\":\"n\"}".getBytes(StandardCharsets.UTF_8),
            SizeLimits.DEFAULT);

    private final WasmEngine engine = WasmEngines.best();

    @AfterAll
    void stop() {
        engine.close();
    }

    @Test
    void preInitialisationDoesNotChangeTheAnswersOfAPolicy() {
        var runtime = new WapcRuntime(_ -> "pong".getBytes(StandardCharsets.UTF_8));
        var wasm = SamplePolicy.misbehaving("exit-zero-in-start");
        var prepared = runtime.prepare(engine, wasm);

        try (var plain = runtime.link(engine.compile(wasm));
                var fast = runtime.link(engine.compile(prepared))) {
            assertThat(prepared).isNotEqualTo(wasm);
            for (var body : BODIES) {
                assertThat(answer(fast, body)).isEqualTo(answer(plain, body));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SamplePolicy.class)
    void doesNotChangePoliciesThatOnlyRegisterTheirFunctions(SamplePolicy sample) {
        var wasm = sample.wasm();

        assertThat(new WapcRuntime(_ -> new byte[0]).prepare(engine, wasm)).isSameAs(wasm);
    }

    @Test
    void doesNotChangeModulesWhoseStartUpFails() {
        var wasm = SamplePolicy.misbehaving("trap-in-wapc-init");

        assertThat(new WapcRuntime(_ -> new byte[0]).prepare(engine, wasm)).isEqualTo(wasm);
    }

    @Test
    void readsTheProtocolVersionOfAPolicy() {
        assertThat(WapcRuntime.protocolVersion(engine, SamplePolicy.RAW_VALIDATION.wasm()))
                .isEqualTo(ProtocolVersion.V1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"trap-in-wapc-init", "no-guest-call", "unknown-import"})
    void reportsWhyAModuleHasNoProtocolVersion(String guest) {
        assertThatThrownBy(() -> WapcRuntime.protocolVersion(engine, SamplePolicy.misbehaving(guest)))
                .isInstanceOf(PolicyLoadException.class);
    }

    private static String answer(WapcModule module, byte[] body) {
        var request = Reviews.raw(body);
        return new String(
                ResponseWriter.raw(
                        Verdicts.of(module.evaluate(request, CONTEXT), request).response()),
                StandardCharsets.UTF_8);
    }
}
