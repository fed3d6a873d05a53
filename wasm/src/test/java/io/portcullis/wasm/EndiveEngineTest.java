package io.portcullis.wasm;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.testing.Guests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class EndiveEngineTest extends EngineContract {

    private final WasmEngine engine = WasmEngines.endive();

    @Test
    void rejectsVectorInstructionsByName() {
        assertThatExceptionOfType(InvalidModuleException.class)
                .isThrownBy(() -> engine.compile(Guests.module("simd")))
                .withMessageContaining("SIMD");
    }

    @Override
    WasmEngine engine() {
        return engine;
    }

    @Override
    WasmEngine engine(EngineLimits limits) {
        return WasmEngines.endive(limits);
    }

    @AfterAll
    void close() {
        engine.close();
    }
}
