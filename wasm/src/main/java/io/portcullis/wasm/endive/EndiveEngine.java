package io.portcullis.wasm.endive;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.EngineLimits;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SerialisedModule;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.binary.ModuleOutline;
import io.portcullis.wasm.binary.ModuleStructure;
import java.util.Locale;
import java.util.function.Supplier;
import run.endive.compiler.InterpreterFallback;
import run.endive.compiler.MachineFactoryCompiler;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmEngineException;

/**
 * The Endive engine. A serialised module is the original bytes with a fingerprint, because in-memory JVM classes cannot be stored;
 * loading one compiles again.
 */
public final class EndiveEngine implements WasmEngine {

    /** The version of all Endive artifacts. Compiler and runtime must have the same version. */
    public static final String VERSION = "1.0.0";

    private static final String FINGERPRINT = "endive-" + VERSION;

    private final Watchdog watchdog = new Watchdog();
    private final MemoryBudget guestMemory;

    public EndiveEngine(EngineLimits limits) {
        this.guestMemory = limits.guestMemory();
    }

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
        return translated(() -> {
            var checked = ModuleStructure.checked(wasm);
            var module = Parser.parse(checked);
            var machine = MachineFactoryCompiler.builder(module)
                    .withInterpreterFallback(InterpreterFallback.SILENT)
                    .compile();
            return new EndiveModule(
                    module,
                    ModuleOutline.of(checked),
                    machine,
                    SerialisedModule.seal(FINGERPRINT, wasm),
                    watchdog,
                    guestMemory);
        });
    }

    @Override
    public void validate(byte[] wasm) {
        translated(() -> Parser.parse(ModuleStructure.checked(wasm)));
        ModuleOutline.of(wasm);
    }

    @Override
    public MemoryBudget guestMemory() {
        return guestMemory;
    }

    /** Catches all exceptions, because parser and compiler report bad bytes with many exception types. */
    private static <T> T translated(Supplier<T> work) {
        try {
            return work.get();
        } catch (WasmEngineException | IllegalArgumentException | UnsupportedOperationException failure) {
            throw new InvalidModuleException(explained(failure), failure);
        } catch (InvalidModuleException invalid) {
            throw invalid;
        } catch (RuntimeException | StackOverflowError failure) {
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
