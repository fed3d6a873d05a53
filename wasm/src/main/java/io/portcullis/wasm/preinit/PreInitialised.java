package io.portcullis.wasm.preinit;

/** What came of pre-initialising a module. */
public sealed interface PreInitialised {

    /** The module to compile. */
    byte[] wasm();

    /** Instances of this module start as if the start-up had just run; the exports that ran it are gone. */
    record Initialised(byte[] wasm) implements PreInitialised {}

    /** The module as it was; its start-up must run in every instance. */
    record Unchanged(byte[] wasm, String reason) implements PreInitialised {}
}
