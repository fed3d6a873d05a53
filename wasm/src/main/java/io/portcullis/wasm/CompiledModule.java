package io.portcullis.wasm;

import java.util.List;

/**
 * A module ready to be linked. Immutable and shared between threads. Native memory is released when this and every
 * {@link LinkedModule} made from it are closed and their instances are gone.
 */
public interface CompiledModule extends AutoCloseable {

    List<ImportType> imports();

    List<ExportType> exports();

    /** Returns bytes that {@link WasmEngine#load} of an engine with the same fingerprint accepts. */
    byte[] serialize();

    /**
     * Resolves the imports once, for many instances.
     *
     * @throws LinkException when the module asks for something {@code imports} does not offer or with another type
     */
    LinkedModule link(HostImports imports);

    default boolean exports(String name) {
        return exports().stream().anyMatch(export -> export.name().equals(name));
    }

    @Override
    void close();
}
