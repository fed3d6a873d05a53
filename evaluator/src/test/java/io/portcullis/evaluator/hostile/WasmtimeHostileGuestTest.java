package io.portcullis.evaluator.hostile;

import io.portcullis.wasm.engine.WasmEngines;

final class WasmtimeHostileGuestTest extends HostileGuestContract {

    WasmtimeHostileGuestTest() {
        super(WasmEngines.wasmtime());
    }
}
