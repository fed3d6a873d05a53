package io.portcullis.evaluator.wapc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmEngines;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WapcRuntimeTest {

    private final WasmEngine engine = WasmEngines.best();

    @AfterAll
    void stop() {
        engine.close();
    }

    @Test
    void asksAPolicyForItsProtocolVersion() {
        assertThat(WapcRuntime.protocolVersion(engine, SamplePolicy.RAW_VALIDATION.wasm()))
                .isEqualTo(ProtocolVersion.V1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"trap-in-wapc-init", "no-guest-call", "unknown-import"})
    void saysWhyAModuleHasNoProtocolVersion(String guest) {
        assertThatThrownBy(() -> WapcRuntime.protocolVersion(engine, SamplePolicy.misbehaving(guest)))
                .isInstanceOf(PolicyLoadException.class);
    }
}
