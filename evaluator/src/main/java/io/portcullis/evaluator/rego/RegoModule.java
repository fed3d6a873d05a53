package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.NamedBuiltin;
import io.portcullis.evaluator.rego.builtin.registry.Builtins;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.TrapReport;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.WasmException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A linked Rego module. Every request uses a fresh instance. */
final class RegoModule implements ExecutableModule {

    private static final Logger log = LoggerFactory.getLogger(RegoModule.class);
    private static final RandomGenerator RANDOM = new SecureRandom();

    private final CompiledModule compiled;
    private final LinkedModule linked;
    private final Map<Integer, NamedBuiltin> builtins;
    private final RegoDialect dialect;
    private final BuiltinErrors builtinErrors;
    private final InstantSource clock;
    private final HostCapabilities capabilities;
    private final DataDocuments documents;

    RegoModule(
            CompiledModule compiled,
            LinkedModule linked,
            RegoTables tables,
            RegoDialect dialect,
            HostCapabilities capabilities,
            BuiltinErrors builtinErrors,
            InstantSource clock) {
        this.compiled = compiled;
        this.linked = linked;
        this.builtins = named(tables);
        this.dialect = dialect;
        this.builtinErrors = builtinErrors;
        this.clock = clock;
        this.capabilities = capabilities;
        this.documents = new DataDocuments(dialect, new GatekeeperInventory(dialect.inventory(), capabilities));
    }

    private static Map<Integer, NamedBuiltin> named(RegoTables tables) {
        var named = new HashMap<Integer, NamedBuiltin>();
        tables.builtins().forEach((id, name) -> Builtins.named(name).ifPresent(builtin -> named.put(id, builtin)));
        return Map.copyOf(named);
    }

    @Override
    public GuestOutcome evaluate(EvaluationRequest request, ModuleContext context) {
        return dialect.rejectUnsupported(request).orElseGet(() -> run(request, context));
    }

    private GuestOutcome run(EvaluationRequest request, ModuleContext context) {
        try {
            var data = documents.forPolicy(context);
            var deadline = context.caller().deadline();
            try (var instance = linked.instantiate(context.limits(), deadline, evaluation(context))) {
                var guest = new RegoInstance(instance);
                return dialect.interpret(guest.evaluate(data.load(guest), dialect.input(request, context)));
            }
        } catch (HostCallException e) {
            return new GuestOutcome.Failed(EvaluationFailure.HOST_ERROR, String.valueOf(e.getMessage()));
        } catch (WasmException e) {
            var report = TrapReport.of(e, "");
            report.log(context.policyId(), capabilities.logQuota());
            return GuestOutcome.Failed.internal(EvaluationFailure.of(e), report.message());
        }
    }

    private RegoEvaluation evaluation(ModuleContext context) {
        var now = clock.instant();
        long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        var deadline = context.caller().deadline();
        var scope = new EvaluationScope(nanos, RANDOM, deadline, line -> print(context, line));
        return new RegoEvaluation(
                builtins, builtinErrors, scope, line -> print(context, line), context.hostMemory(), deadline);
    }

    private void print(ModuleContext context, String line) {
        capabilities
                .logQuota()
                .admit(context.policyId(), line)
                .ifPresent(text -> log.atInfo()
                        .addKeyValue("policy_id", context.policyId())
                        .addKeyValue("text", text)
                        .log("policy print"));
    }

    /**
     * Accepts all settings, because Rego has no validation function. Linking has already shown that the module can run.
     */
    @Override
    public SettingsOutcome validateSettings(ModuleContext context) {
        return new SettingsOutcome.Valid();
    }

    @Override
    public void close() {
        linked.close();
        compiled.close();
    }
}
