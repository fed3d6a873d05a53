package io.portcullis.evaluator.hostile;

import io.portcullis.wasm.engine.WasmEngines;

final class EndiveHostileGuestTest extends HostileGuestContract {

    EndiveHostileGuestTest() {
        super(WasmEngines.endive());
    }
}
