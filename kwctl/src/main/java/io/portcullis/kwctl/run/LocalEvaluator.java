package io.portcullis.kwctl.run;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Detail;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.group.GroupTargets;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The evaluator of the policy server, configured for one short-lived process. Converts failures into errors for
 * command-line users.
 */
public final class LocalEvaluator implements AutoCloseable {

    private final WasmEngine engine;
    private final PolicyLoader loader;

    public LocalEvaluator(
            HostCapabilities host, CompiledModuleCache cache, Optional<Duration> timeout, InstantSource clock) {
        this.engine = WasmEngines.best();
        this.loader = WasmPolicyLoader.forAllExecutionModes(
                engine, cache, host, clock, new EvaluationLimits(SizeLimits.DEFAULT, timeout));
    }

    /** Loads a policy, validates its settings, and compares the members of a group. */
    public LoadedPolicy load(PolicyRun policy, Modules modules) {
        return switch (policy.entry()) {
            case PolicyEntry.Single single -> loadSingle(policy.id(), single, modules);
            case PolicyEntry.Group group -> loadGroup(policy.id(), group, policy.rules(), modules);
        };
    }

    private LoadedPolicy loadSingle(String id, PolicyEntry.Single entry, Modules modules) {
        try {
            return loader.load(id, entry, modules);
        } catch (PolicyLoadException e) {
            throw e.detail() instanceof Detail.SettingsRejected(var problem)
                    ? new InvalidSettingsException(problem)
                    : translated(e);
        }
    }

    /**
     * Loads a group. Loads every member alone first, to report all invalid settings at once. The group then reuses their
     * modules.
     */
    private LoadedPolicy loadGroup(
            String id, PolicyEntry.Group group, Optional<List<PolicyMetadata.Rule>> rules, Modules modules) {
        var loaded = new ArrayList<LoadedPolicy>();
        var problems = new ArrayList<String>();
        try {
            group.members().forEach((name, member) -> {
                var alone = new PolicyEntry.Single(member, PolicyMode.PROTECT, false, Optional.empty());
                try {
                    loaded.add(loader.load(id + "/" + name, alone, modules));
                } catch (PolicyLoadException e) {
                    if (e.reason() != Reason.INVALID_SETTINGS) {
                        throw translated(e);
                    }
                    problems.add(id + "/" + name + ": settings not valid: " + e.getMessage());
                }
            });
            if (!problems.isEmpty()) {
                throw new InvalidSettingsException(String.join(", ", problems));
            }
            return GroupTargets.loadChecked(loader, id, group, rules, modules);
        } catch (PolicyLoadException e) {
            throw translated(e);
        } finally {
            loaded.forEach(LoadedPolicy::close);
        }
    }

    private static CommandException translated(PolicyLoadException e) {
        var message = String.valueOf(e.getMessage());
        return switch (e.reason()) {
            case INVALID_CAPABILITIES -> new CommandException("Invalid host capabilities pattern: " + message);
            case INVALID_MODULE ->
                new CommandException(
                        e.detail() instanceof Detail.NoGuestCall
                                ? "unable to rehydrate wapc module: " + message
                                : "error when building wasm module: " + message);
            case LINK_ERROR -> new CommandException("error when building wasm module: " + message);
            case INVALID_METADATA, INVALID_SETTINGS, INVALID_EXPRESSION, PREPARATION_FAILED ->
                new CommandException(message);
        };
    }

    @Override
    public void close() {
        loader.close();
        engine.close();
    }
}
