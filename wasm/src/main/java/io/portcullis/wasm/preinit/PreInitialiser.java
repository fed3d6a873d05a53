package io.portcullis.wasm.preinit;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmException;
import io.portcullis.wasm.binary.ModuleSections;
import io.portcullis.wasm.preinit.PreInitialised.Initialised;
import io.portcullis.wasm.preinit.PreInitialised.Unchanged;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a module's start-up once, and returns a module that contains the resulting state. Never throws, even for invalid
 * bytes. A module is returned unchanged, with the reason, when it cannot be snapshotted, or when its start-up fails or
 * reads external state. Such a module fails later, when it is used. Thread-safe.
 */
public final class PreInitialiser {

    private static final Logger log = LoggerFactory.getLogger(PreInitialiser.class);

    /** The prefix of the reason when our own reader failed, which no input should cause. */
    static final String UNEXPECTED = "pre-initialisation failed: ";

    /** Much larger than the heap of any policy after its start-up; a Go policy has 3 to 10 MiB. */
    public static final long DEFAULT_SNAPSHOT_BYTES = 32L << 20;

    private final WasmEngine engine;
    private final SizeLimits limits;
    private final long snapshotBytes;

    /** Accepts snapshots of up to {@link #DEFAULT_SNAPSHOT_BYTES}, and of at most an eighth of the heap. */
    public PreInitialiser(WasmEngine engine, SizeLimits limits) {
        this(
                engine,
                limits,
                Math.min(DEFAULT_SNAPSHOT_BYTES, Runtime.getRuntime().maxMemory() / 8));
    }

    /**
     * @param limits for the start-up; an instance that may use less memory cannot be made from the result
     * @param snapshotBytes the most memory that is not zero after the start-up; a module with more stays unchanged
     */
    public PreInitialiser(WasmEngine engine, SizeLimits limits, long snapshotBytes) {
        this.engine = engine;
        this.limits = limits;
        this.snapshotBytes = snapshotBytes;
    }

    /**
     * Whether a module runs code at start-up: it has a start section, or exports one of these functions. Returns true for
     * a module that cannot be read.
     */
    public static boolean hasStartUp(byte[] wasm, Set<String> startExports) {
        try {
            var module = SnapshotModule.parse(wasm);
            return module.has(ModuleSections.START)
                    || module.exports().stream().anyMatch(export -> startExports.contains(export.name()));
        } catch (UnsupportedModuleException | WasmException e) {
            return true;
        }
    }

    /** @param time for the start-up, without compiling */
    public PreInitialised prepare(byte[] wasm, Initialisation initialisation, Duration time) {
        try {
            var module = SnapshotModule.parse(wasm);
            Suitability.check(module);
            var snapshot = snapshot(module, initialisation, time);
            var rewritten = new Rewriter(module, snapshot).rewrite(initialisation.spentExports());
            engine.validate(rewritten);
            return new Initialised(rewritten);
        } catch (UnsupportedModuleException | WasmException reason) {
            log.atDebug().addKeyValue("reason", reason.getMessage()).log("module is not pre-initialised");
            return new Unchanged(wasm, String.valueOf(reason.getMessage()));
        } catch (RuntimeException bug) {
            log.atWarn().setCause(bug).log("pre-initialisation failed, the module runs without it");
            return new Unchanged(wasm, UNEXPECTED + bug);
        }
    }

    private Snapshot snapshot(SnapshotModule module, Initialisation initialisation, Duration time) {
        var globals = (int)
                module.globals().stream().filter(SnapshotModule.Global::mutable).count();
        try (var compiled = engine.compile(Getters.addTo(module));
                var linked = compiled.link(guarded(initialisation));
                var instance = linked.instantiate(limits, Deadline.after(time), initialisation.hostState())) {
            initialisation.steps().accept(instance);
            return Snapshot.of(instance, globals, snapshotBytes);
        }
    }

    /** Returns the same imports, but a call that reads or changes external state ends the start-up. */
    private static HostImports guarded(Initialisation initialisation) {
        var builder = HostImports.builder().include(initialisation.imports());
        initialisation.imports().functions().forEach((name, function) -> {
            builder.function(name.module(), name.name(), function.type(), (caller, arguments) -> {
                if (!initialisation.harmless().allows(name, arguments)) {
                    throw TrapException.byHost("its start-up calls %s::%s".formatted(name.module(), name.name()));
                }
                return function.body().call(caller, arguments);
            });
        });
        return builder.build();
    }
}
