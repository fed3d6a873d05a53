package io.portcullis.evaluator.hostile;

import io.portcullis.wasm.WasmEngines;

final class WasmtimeHostileGuestTest extends HostileGuestContract {

    WasmtimeHostileGuestTest() {
        super(WasmEngines.wasmtime());
    }
}
