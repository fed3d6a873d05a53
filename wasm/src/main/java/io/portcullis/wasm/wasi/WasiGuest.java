package io.portcullis.wasm.wasi;

/** What the state of an instance must be when its module imports WASI. */
public interface WasiGuest {

    WasiContext wasi();
}
