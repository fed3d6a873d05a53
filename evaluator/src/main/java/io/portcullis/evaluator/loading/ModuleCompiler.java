package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.WasmEngine;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Returns compiled modules from the cache, or prepares them and fills the cache. Thread-safe: each module is prepared
 * once, different modules in parallel.
 */
final class ModuleCompiler {

    private static final Logger log = LoggerFactory.getLogger(ModuleCompiler.class);

    private final WasmEngine engine;
    private final CompiledModuleCache cache;
    private final Optional<ModulePreparation> isolated;
    private final CodeBudget budget;
    private final Map<String, ReentrantLock> preparing = new ConcurrentHashMap<>();

    /** @param isolated prepares modules in another process; if empty, this process prepares them */
    ModuleCompiler(
            WasmEngine engine, CompiledModuleCache cache, Optional<ModulePreparation> isolated, CodeBudget budget) {
        this.engine = engine;
        this.cache = cache;
        this.isolated = isolated;
        this.budget = budget;
    }

    /** @throws PolicyLoadException if the module is broken or contradicts its metadata */
    CompiledModule compile(
            String digest, byte[] wasm, ExecutionMode mode, PolicyRuntime runtime, Optional<Trial> trial) {
        var fingerprint = fingerprint(runtime);
        var found = cached(digest, fingerprint);
        if (found.isPresent()) {
            return found.get();
        }
        if (isolated.isEmpty()) {
            return prepareInProcess(digest, wasm, mode, runtime);
        }
        var lock = preparing.computeIfAbsent(digest, _ -> new ReentrantLock());
        lock.lock();
        try {
            var job = new ModulePreparation.Job(digest, wasm, mode, fingerprint, trial);
            return cached(digest, fingerprint).orElseGet(() -> prepareIsolated(job, isolated.get()));
        } finally {
            lock.unlock();
            preparing.remove(digest, lock);
        }
    }

    private CompiledModule prepareInProcess(String digest, byte[] wasm, ExecutionMode mode, PolicyRuntime runtime) {
        var module = compile(runtime.prepare(engine, wasm));
        requireMode(module, mode);
        cache.store(digest, fingerprint(runtime), module.serialize());
        return module;
    }

    private CompiledModule prepareIsolated(ModulePreparation.Job job, ModulePreparation preparation) {
        var compiled = preparation.prepare(job);
        CompiledModule module;
        try {
            module = budget.load(compiled.length, () -> engine.load(compiled));
        } catch (InvalidModuleException e) {
            throw new PolicyLoadException(
                    Reason.PREPARATION_FAILED, "the prepared module does not load: " + e.getMessage(), e);
        }
        requireMode(module, job.mode());
        cache.store(job.digest(), job.fingerprint(), compiled);
        return module;
    }

    /** Checks the execution mode and closes a module that contradicts its metadata. */
    private static void requireMode(CompiledModule module, ExecutionMode mode) {
        try {
            checkMode(module, mode);
        } catch (PolicyLoadException e) {
            module.close();
            throw e;
        }
    }

    /** Returns the cache fingerprint of modules that this engine compiles for a runtime. */
    String fingerprint(PolicyRuntime runtime) {
        return engine.fingerprint() + "-" + runtime.preparation();
    }

    private Optional<CompiledModule> cached(String digest, String fingerprint) {
        return cache.find(digest, fingerprint).flatMap(bytes -> {
            try {
                return Optional.of(budget.load(bytes.length, () -> engine.load(bytes)));
            } catch (InvalidModuleException e) {
                log.atWarn()
                        .addKeyValue("digest", digest)
                        .addKeyValue("error", e.getMessage())
                        .log("cached module does not load, compiling it again");
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
