package io.portcullis.wasm;

/**
 * Compiles modules and loads compiled ones. Thread-safe; one per process. Two implementations pass one test class:
 * Wasmtime through the foreign-function API, and Endive in pure Java for machines where the native library is missing.
 */
public interface WasmEngine extends AutoCloseable {

    /** For people and logs, for example {@code wasmtime 50.0.1}. */
    String name();

    /**
     * Identifies everything that a serialised module depends on: engine, version, configuration, CPU features. Two engines with
     * the same fingerprint can load each other's serialised modules. Letters, digits, dots and dashes only.
     */
    String fingerprint();

    /**
     * @throws InvalidModuleException when the bytes are not a module this engine accepts; the message names the
     *     position or the missing feature
     */
    CompiledModule compile(byte[] wasm);

    /**
     * Checks a module without compiling it.
     *
     * @throws InvalidModuleException when {@link #compile} would not accept it
     */
    void validate(byte[] wasm);

    /** The memory that the running instances of this engine share. */
    MemoryBudget guestMemory();

    /**
     * Loads the output of {@link CompiledModule#serialize}. The bytes are native code that the engine trusts: the
     * caller must have verified them.
     *
     * @throws InvalidModuleException when they were made by another engine, version or configuration
     */
    CompiledModule load(byte[] serialised);

    @Override
    void close();
}
