package io.portcullis.wasm.endive;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.SerialisedModule;
import io.portcullis.wasm.WasmEngine;
import java.util.Locale;
import run.endive.compiler.InterpreterFallback;
import run.endive.compiler.MachineFactoryCompiler;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmEngineException;

/**
 * Endive. A serialised module is the original bytes with a label, because JVM classes made in memory cannot be stored;
 * loading one compiles again.
 */
public final class EndiveEngine implements WasmEngine {

    /** Of every Endive artefact; compiler and runtime of different versions do not fit together. */
    public static final String VERSION = "1.0.0";

    private static final String FINGERPRINT = "endive-" + VERSION;

    private final Watchdog watchdog = new Watchdog();

    @Override
    public String name() {
        return "endive " + VERSION;
    }

    @Override
    public String fingerprint() {
        return FINGERPRINT;
    }

    @Override
    public CompiledModule compile(byte[] wasm) {
        try {
            var module = Parser.parse(wasm);
            var machine = MachineFactoryCompiler.builder(module)
                    .withInterpreterFallback(InterpreterFallback.SILENT)
                    .compile();
            return new EndiveModule(module, machine, SerialisedModule.seal(FINGERPRINT, wasm), watchdog);
        } catch (WasmEngineException | IllegalArgumentException | UnsupportedOperationException failure) {
            throw new InvalidModuleException(explained(failure), failure);
        } catch (IndexOutOfBoundsException | java.nio.BufferUnderflowException failure) {
            throw new InvalidModuleException("the module is malformed or truncated", failure);
        }
    }

    @Override
    public CompiledModule load(byte[] serialised) {
        return compile(SerialisedModule.open(FINGERPRINT, serialised));
    }

    @Override
    public void close() {
        watchdog.close();
    }

    private static String explained(RuntimeException failure) {
        var message = String.valueOf(failure.getMessage());
        var lower = message.toLowerCase(Locale.ROOT);
        return lower.contains("v128") || lower.contains("simd") || lower.contains("vec")
                ? "the module uses vector instructions (SIMD), which the engine endive lacks: " + message
                : message;
    }
}
