package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.rego.builtin.registry.Builtins;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmException;
import io.portcullis.wasm.preinit.Initialisation;
import io.portcullis.wasm.preinit.PreInitialiser;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** Runs the modules of one Rego dialect. */
public final class RegoRuntime implements PolicyRuntime {

    /** The exports that every module must have; other OPA exports are used if present. */
    private static final List<String> REQUIRED = List.of(
            "builtins",
            "entrypoints",
            "eval",
            "opa_eval_ctx_new",
            "opa_eval_ctx_set_input",
            "opa_eval_ctx_set_data",
            "opa_eval_ctx_set_entrypoint",
            "opa_eval_ctx_get_result",
            "opa_malloc",
            "opa_json_parse",
            "opa_json_dump",
            "opa_heap_ptr_get",
            "opa_heap_ptr_set");

    /** The time limit for reading two small tables; a module that takes longer is broken. */
    private static final Duration INSPECTION_TIMEOUT = Duration.ofSeconds(5);

    private final RegoDialect dialect;
    private final HostCapabilities capabilities;
    private final BuiltinErrors builtinErrors;
    private final InstantSource clock;

    public RegoRuntime(
            RegoDialect dialect, HostCapabilities capabilities, BuiltinErrors builtinErrors, InstantSource clock) {
        this.dialect = dialect;
        this.capabilities = capabilities;
        this.builtinErrors = builtinErrors;
        this.clock = clock;
    }

    /** Runs OPA's start section once. Instances start after it, with a memory that is part of the module. */
    @Override
    public byte[] prepare(WasmEngine engine, byte[] wasm) {
        var startSection = new Initialisation(
                RegoImports.all(), (_, _) -> false, RegoEvaluation.forInspection(), Set.of(), _ -> {});
        return new PreInitialiser(engine, SizeLimits.DEFAULT)
                .prepare(wasm, startSection, INSPECTION_TIMEOUT)
                .wasm();
    }

    @Override
    public String preparation() {
        return "rego-1";
    }

    @Override
    public ExecutableModule link(CompiledModule module) {
        try {
            var missingExports =
                    REQUIRED.stream().filter(name -> !module.exports(name)).toList();
            if (!missingExports.isEmpty()) {
                throw new PolicyLoadException(
                        Reason.INVALID_MODULE,
                        "the module was not compiled from Rego, it lacks: " + String.join(", ", missingExports),
                        null);
            }
            var linked = module.link(RegoImports.of(module));
            try {
                var tables = inspect(linked.instantiate(
                        SizeLimits.DEFAULT, Deadline.after(INSPECTION_TIMEOUT), RegoEvaluation.forInspection()));
                return new RegoModule(module, linked, tables, dialect, capabilities, builtinErrors, clock);
            } catch (RuntimeException e) {
                linked.close();
                throw e;
            }
        } catch (WasmException e) {
            module.close();
            throw new PolicyLoadException(Reason.LINK_ERROR, "cannot build Rego engine: " + e.getMessage(), e);
        } catch (PolicyLoadException e) {
            module.close();
            throw e;
        }
    }

    /** Reads the built-ins and entry points of the module once, because they are the same in every instance. */
    private static RegoTables inspect(Instance instance) {
        try (instance) {
            var guest = new RegoInstance(instance);
            var tables = RegoTables.parse(guest.dump(guest.call("builtins")), guest.dump(guest.call("entrypoints")));
            var missing = Builtins.missing(tables.builtins().values());
            if (!missing.isEmpty()) {
                throw new PolicyLoadException(
                        Reason.LINK_ERROR,
                        "cannot build Rego engine: Missing Rego builtins: " + String.join(", ", missing),
                        null);
            }
            if (!tables.entrypoints().containsValue(0)) {
                throw new PolicyLoadException(
                        Reason.INVALID_MODULE,
                        "Cannot find the specified entrypoint 0 inside of " + tables.entrypoints(),
                        null);
            }
            return tables;
        }
    }
}
