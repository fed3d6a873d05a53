package io.portcullis.wasm.wasi;

/** The host state that an instance needs when its module imports WASI. */
public interface WasiGuest {

    WasiContext wasi();
}
