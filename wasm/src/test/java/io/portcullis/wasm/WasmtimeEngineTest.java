package io.portcullis.wasm;

import org.junit.jupiter.api.AfterAll;

final class WasmtimeEngineTest extends EngineContract {

    private final WasmEngine engine = WasmEngines.wasmtime();

    @Override
    WasmEngine engine() {
        return engine;
    }

    @AfterAll
    void close() {
        engine.close();
    }
}
