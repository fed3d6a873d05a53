package io.portcullis.evaluator.loading;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.group.GroupPolicies;
import io.portcullis.evaluator.host.CapabilityPatterns;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.evaluator.review.ResponseRules;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.WasmEngine;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Loads policies on one engine. Each digest is compiled once for all policies that use it. Its native memory is
 * released with the last of them.
 */
public final class WasmPolicyLoader implements PolicyLoader {

    private final Map<ExecutionMode, PolicyRuntime> runtimes;
    private final GroupPolicies groups;
    private final EvaluationLimits limits;
    private final ModuleCompiler compiler;
    private final SharedModules sharedModules = new SharedModules();

    /** Prepares modules in this process. */
    public WasmPolicyLoader(
            WasmEngine engine,
            CompiledModuleCache cache,
            Map<ExecutionMode, PolicyRuntime> runtimes,
            EvaluationLimits limits) {
        this(engine, cache, runtimes, limits, true, Optional.empty(), CodeBudget.unlimited());
    }

    /**
     * @param engine must stay open as long as any policy; the caller closes it
     * @param memberWarnings whether rejections of groups have warnings about the results of members
     * @param isolated prepares modules in another process; if empty, this process prepares them
     */
    public WasmPolicyLoader(
            WasmEngine engine,
            CompiledModuleCache cache,
            Map<ExecutionMode, PolicyRuntime> runtimes,
            EvaluationLimits limits,
            boolean memberWarnings,
            Optional<ModulePreparation> isolated,
            CodeBudget codeBudget) {
        this.runtimes = Map.copyOf(runtimes);
        this.groups = new GroupPolicies(limits.timeout(), memberWarnings);
        this.limits = limits;
        this.compiler = new ModuleCompiler(engine, cache, isolated, codeBudget);
    }

    /**
     * Creates a loader for all execution modes that prepares modules in this process and sends host calls to {@code
     * host}.
     */
    public static WasmPolicyLoader forAllExecutionModes(
            WasmEngine engine,
            CompiledModuleCache cache,
            HostCapabilities host,
            InstantSource clock,
            EvaluationLimits limits) {
        return forAllExecutionModes(engine, cache, host, clock, limits, true, Optional.empty(), CodeBudget.unlimited());
    }

    /**
     * Creates a loader for all execution modes. Uses {@code isolated} to prepare modules, if present, and limits native
     * code.
     */
    public static WasmPolicyLoader forAllExecutionModes(
            WasmEngine engine,
            CompiledModuleCache cache,
            HostCapabilities host,
            InstantSource clock,
            EvaluationLimits limits,
            boolean memberWarnings,
            Optional<ModulePreparation> isolated,
            CodeBudget codeBudget) {
        return new WasmPolicyLoader(
                engine, cache, Runtimes.ofEveryMode(host, clock), limits, memberWarnings, isolated, codeBudget);
    }

    @Override
    public LoadedPolicy load(String policyId, PolicyEntry entry, ModuleBytes modules) {
        return switch (entry) {
            case PolicyEntry.Single single ->
                new SinglePolicy(
                        load(policyId, single.module(), modules),
                        new ResponseRules(policyId, single.mode(), single.allowedToMutate(), single.message()));
            case PolicyEntry.Group group -> loadGroup(policyId, group, modules);
        };
    }

    private LoadedPolicy loadGroup(String groupId, PolicyEntry.Group group, ModuleBytes modules) {
        var members = new LinkedHashMap<String, PolicyEvaluator>();
        try {
            group.members().forEach((name, member) -> members.put(name, loadMember(groupId, name, member, modules)));
            return groups.assemble(groupId, group, members);
        } catch (RuntimeException e) {
            members.values().forEach(PolicyEvaluator::close);
            throw e;
        }
    }

    /** Loads a member. A failure message names the member. */
    private LoadedModule loadMember(String groupId, String name, PolicyEntry.Module member, ModuleBytes modules) {
        var id = groupId + "/" + name;
        try {
            return load(id, member, modules);
        } catch (PolicyLoadException e) {
            var prefix =
                    e.reason() == Reason.INVALID_SETTINGS ? id + ": settings not valid: " : "member " + name + ": ";
            throw e.withMessage(prefix + e.getMessage());
        }
    }

    private LoadedModule load(String id, PolicyEntry.Module definition, ModuleBytes modules) {
        CapabilityPatterns.problem(definition.hostCapabilities()).ifPresent(problem -> {
            throw new PolicyLoadException(
                    Reason.INVALID_CAPABILITIES,
                    "invalid hostCapabilities pattern for policy " + id + ": " + problem,
                    null);
        });
        var wasm = modules.of(definition.module());
        var mode = PolicyMetadata.ofServable(wasm).executionMode();
        var digest = sha256(wasm);
        var loaded = new LoadedModule(
                id,
                sharedModules.acquire(digest, () -> make(digest, wasm, mode, trial(definition))),
                definition,
                limits);
        try {
            checkSettings(loaded);
            return loaded;
        } catch (RuntimeException e) {
            loaded.close();
            throw e;
        }
    }

    private ExecutableModule make(String digest, byte[] wasm, ExecutionMode mode, Trial trial) {
        var runtime = runtime(mode);
        return runtime.link(compiler.compile(digest, wasm, mode, runtime, Optional.of(trial)));
    }

    private Trial trial(PolicyEntry.Module definition) {
        return new Trial(
                JsonTree.serialise(definition.settings()),
                definition.timeout().or(limits::timeout).orElse(EvaluationLimits.SETTINGS_VALIDATION));
    }

    private PolicyRuntime runtime(ExecutionMode mode) {
        var runtime = runtimes.get(mode);
        if (runtime == null) {
            throw new PolicyLoadException(
                    Reason.INVALID_METADATA, "execution mode " + mode.wireName() + " is not supported", null);
        }
        return runtime;
    }

    /**
     * Ensures that the compiled form of a module is in the cache, without loading a policy.
     *
     * @throws PolicyLoadException if it cannot be compiled
     */
    public void prepare(byte[] wasm) {
        var mode = PolicyMetadata.ofServable(wasm).executionMode();
        compiler.compile(sha256(wasm), wasm, mode, runtime(mode), Optional.empty())
                .close();
    }

    /** Returns the fingerprint under which the compiled form of this module is cached. */
    public String fingerprint(byte[] wasm) {
        return compiler.fingerprint(runtime(PolicyMetadata.ofServable(wasm).executionMode()));
    }

    /** Returns all fingerprints that this engine uses. */
    public Set<String> fingerprints() {
        return runtimes.values().stream().map(compiler::fingerprint).collect(Collectors.toUnmodifiableSet());
    }

    private static void checkSettings(LoadedModule loaded) {
        switch (loaded.validateSettings()) {
            case SettingsOutcome.Valid() -> {}
            case SettingsOutcome.Invalid(var message) ->
                throw PolicyLoadException.settingsRejected(message.orElse("no message"));
            case SettingsOutcome.Unusable(var message) ->
                throw new PolicyLoadException(
                        Reason.INVALID_MODULE,
                        "WebAssembly failure: cannot rehydrate PolicyEvaluatorPre: " + message,
                        null);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The number of different modules in use. */
    public int moduleCount() {
        return sharedModules.size();
    }

    /** Does nothing: policies stay usable until they are closed themselves. */
    @Override
    public void close() {}
}
