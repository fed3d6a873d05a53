package io.portcullis.wasm.preinit;

/** The result of pre-initialising a module. */
public sealed interface PreInitialised {

    /** The module to compile. */
    byte[] wasm();

    /** Instances of this module start in the state after the start-up. The start-up exports are removed. */
    record Initialised(byte[] wasm) implements PreInitialised {}

    /** The original module; its start-up must run in every instance. */
    record Unchanged(byte[] wasm, String reason) implements PreInitialised {}
}
