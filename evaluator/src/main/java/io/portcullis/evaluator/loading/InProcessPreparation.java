package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Prepares modules in this process: pre-initialises, compiles, links and test-runs them. A guest that runs here has no
 * host to call.
 */
public final class InProcessPreparation implements ModulePreparation {

    private static final HostCapabilities NO_HOST = call -> {
        throw new HostCallException("host calls are not available while a module is prepared");
    };

    private final WasmEngine engine;
    private final SizeLimits limits;

    /** @param limits the limits of the guest during the test run */
    public InProcessPreparation(WasmEngine engine, SizeLimits limits) {
        this.engine = engine;
        this.limits = limits;
    }

    @Override
    public byte[] prepare(Job job) {
        var runtime = Runtimes.of(job.mode(), NO_HOST, Clock.systemUTC());
        var compiler = new ModuleCompiler(engine, CompiledModuleCache.NONE, Optional.empty(), CodeBudget.unlimited());
        if (!compiler.fingerprint(runtime).equals(job.fingerprint())) {
            throw new PolicyLoadException(
                    Reason.PREPARATION_FAILED,
                    "the server runs the engine " + job.fingerprint() + ", the preparation process runs "
                            + compiler.fingerprint(runtime),
                    null);
        }
        var module = compiler.compile(job.digest(), job.wasm(), job.mode(), runtime, Optional.empty());
        var compiled = module.serialize();
        if (job.trial().isEmpty()) {
            module.close();
            return compiled;
        }
        var trial = job.trial().get();
        try (var linked = runtime.link(module)) {
            var caller = new Caller("preparation", List.of(), Set.of(), Deadline.after(trial.timeout()));
            linked.validateSettings(new ModuleContext(caller, trial.settings(), limits));
        }
        return compiled;
    }
}
