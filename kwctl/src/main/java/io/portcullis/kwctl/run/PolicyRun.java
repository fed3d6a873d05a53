package io.portcullis.kwctl.run;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import java.util.List;
import java.util.Optional;

/**
 * A policy or group to evaluate.
 *
 * @param isRaw whether it evaluates any JSON instead of admission requests
 * @param rules the rules of its custom resource; empty without one
 */
public record PolicyRun(String id, PolicyEntry entry, boolean isRaw, Optional<List<PolicyMetadata.Rule>> rules) {

    /** Returns the URLs of its modules. */
    public String modules() {
        return switch (entry) {
            case PolicyEntry.Single single -> single.module().module();
            case PolicyEntry.Group group ->
                String.join(
                        ", ",
                        group.members().values().stream()
                                .map(PolicyEntry.Module::module)
                                .toList());
        };
    }

    PolicyMode mode() {
        return switch (entry) {
            case PolicyEntry.Single single -> single.mode();
            case PolicyEntry.Group group -> group.mode();
        };
    }

    /** Returns whether the policy may read Kubernetes resources. */
    boolean readsCluster() {
        return switch (entry) {
            case PolicyEntry.Single single ->
                !single.module().contextAwareResources().isEmpty();
            case PolicyEntry.Group group ->
                group.members().values().stream()
                        .anyMatch(member -> !member.contextAwareResources().isEmpty());
        };
    }

    /** Fetches the modules of a policy that has a custom resource, with other settings than the resource's if wanted. */
    public static PolicyRun of(PolicyFile.Definition definition, PolicyEntry entry, Modules modules) {
        var run = of(definition.id(), entry, modules);
        return new PolicyRun(run.id, run.entry, run.isRaw, definition.rules());
    }

    /** Fetches the modules of a policy. The module determines whether the policy is raw. */
    public static PolicyRun of(String id, PolicyEntry entry, Modules modules) {
        return switch (entry) {
            case PolicyEntry.Single single ->
                new PolicyRun(
                        id,
                        entry,
                        modules.prepare(single.module().module(), Optional.empty())
                                .isRaw(),
                        Optional.empty());
            case PolicyEntry.Group group -> {
                group.members().values().forEach(member -> modules.prepare(member.module(), Optional.empty()));
                yield new PolicyRun(id, entry, false, Optional.empty());
            }
        };
    }
}
