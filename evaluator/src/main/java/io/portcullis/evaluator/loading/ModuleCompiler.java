package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.WasmEngine;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gets compiled modules from the cache, or compiles them and fills it. */
final class ModuleCompiler {

    private static final Logger log = LoggerFactory.getLogger(ModuleCompiler.class);

    private final WasmEngine engine;
    private final CompiledModuleCache cache;

    ModuleCompiler(WasmEngine engine, CompiledModuleCache cache) {
        this.engine = engine;
        this.cache = cache;
    }

    /** @throws PolicyLoadException when the module is broken or contradicts its metadata */
    CompiledModule compile(String digest, byte[] wasm, ExecutionMode mode, PolicyRuntime runtime) {
        var fingerprint = fingerprint(runtime);
        return cached(digest, fingerprint).orElseGet(() -> {
            var module = compile(runtime.prepare(engine, wasm));
            try {
                checkMode(module, mode);
            } catch (PolicyLoadException e) {
                module.close();
                throw e;
            }
            cache.store(digest, fingerprint, module.serialize());
            return module;
        });
    }

    /** Under which name the cache keeps what this engine makes of a runtime's modules. */
    String fingerprint(PolicyRuntime runtime) {
        return engine.fingerprint() + "-" + runtime.preparation();
    }

    private Optional<CompiledModule> cached(String digest, String fingerprint) {
        return cache.find(digest, fingerprint).flatMap(bytes -> {
            try {
                return Optional.of(engine.load(bytes));
            } catch (InvalidModuleException e) {
                log.atWarn()
                        .addKeyValue("digest", digest)
                        .addKeyValue("error", e.getMessage())
                        .log("cached module does not load, compiling it anew");
                return Optional.empty();
            }
        });
    }

    private CompiledModule compile(byte[] wasm) {
        try {
            return engine.compile(wasm);
        } catch (InvalidModuleException e) {
            throw new PolicyLoadException(Reason.INVALID_MODULE, String.valueOf(e.getMessage()), e);
        }
    }

    private static void checkMode(CompiledModule module, ExecutionMode mode) {
        boolean rego =
                module.exports().stream().anyMatch(export -> export.name().startsWith("opa_"));
        if (rego != mode.isRego()) {
            throw new PolicyLoadException(
                    Reason.INVALID_METADATA,
                    "Policy declares execution mode " + mode.wireName() + ", but its module is " + (rego ? "" : "not ")
                            + "compiled from Rego",
                    null);
        }
    }
}
