package io.portcullis.core.tenancy;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The modules that a policy uses on a policy server, the objects that it reads, and the existing use of its namespace on that server.
 *
 * @param modules module references by the field that names them
 * @param contextAwareResources kinds of objects that the members of a group read, by the field that names them
 * @param namespaceLabels labels of the policy's namespace; empty when the namespace is unknown
 * @param before use by older policies of the same namespace on the same server
 */
public record PolicyUse(
        PolicyRef policy,
        Map<String, Optional<ModuleReference>> modules,
        Map<String, Set<ContextAwareResource>> contextAwareResources,
        Optional<Map<String, String>> namespaceLabels,
        NamespaceUse before) {

    /** The order in which policies count against limits: older first, then by name. */
    public static final Comparator<Policy> BY_AGE = Comparator.comparing((Policy policy) ->
                    Objects.requireNonNullElse(policy.getMetadata().getCreationTimestamp(), ""))
            .thenComparing(Policy::ref);

    /**
     * The use by policies of one namespace on one server.
     *
     * @param modules normal forms of their module references
     */
    public record NamespaceUse(int policies, Set<String> modules) {

        public static final NamespaceUse NONE = new NamespaceUse(0, Set.of());

        public NamespaceUse {
            modules = Set.copyOf(modules);
        }

        /** Returns the use with one more policy. */
        public NamespaceUse plus(Collection<Optional<ModuleReference>> references) {
            var all = new HashSet<>(modules);
            references.forEach(reference -> reference.map(ModuleReference::text).ifPresent(all::add));
            return new NamespaceUse(policies + 1, all);
        }
    }

    /**
     * Computes the use of a policy in the cluster. Older policies of the same namespace and server count as existing use. A
     * policy that is being created is newer than all others.
     *
     * @param all policies of the cluster, of any kind and server
     */
    public static PolicyUse of(
            Policy policy, PolicySpec spec, Optional<Map<String, String>> namespaceLabels, Stream<Policy> all) {
        return new PolicyUse(
                policy.ref(),
                references(spec.content()),
                contextAwareResources(spec.content()),
                namespaceLabels,
                policy.policyKind().isNamespaced()
                        ? before(policy, spec.placement().policyServer(), all)
                        : NamespaceUse.NONE);
    }

    private static NamespaceUse before(Policy policy, String policyServer, Stream<Policy> all) {
        return all.filter(other -> other.policyKind().isNamespaced()
                        && other.ref().namespace().equals(policy.ref().namespace())
                        && !other.ref().equals(policy.ref())
                        && !other.isMarkedForDeletion()
                        && isOlder(other, policy))
                .flatMap(other -> read(other).stream())
                .filter(spec -> spec.placement().policyServer().equals(policyServer))
                .reduce(
                        NamespaceUse.NONE,
                        (use, spec) -> use.plus(references(spec.content()).values()),
                        (one, _) -> one);
    }

    /** Compares by age. A policy that is being created has no resourceVersion and is the newest. */
    private static boolean isOlder(Policy one, Policy other) {
        return other.getMetadata().getResourceVersion() == null || BY_AGE.compare(one, other) < 0;
    }

    private static Optional<PolicySpec> read(Policy policy) {
        try {
            return Optional.of(policy.read());
        } catch (FlatObject.MalformedException e) {
            return Optional.empty(); // no server loads a malformed policy
        }
    }

    /** Returns the module references of a policy, by the field that names them. */
    public static Map<String, String> modules(PolicyContent content) {
        var modules = new LinkedHashMap<String, String>();
        switch (content) {
            case PolicyContent.Single single -> modules.put("spec.module", single.module());
            case PolicyContent.Group group ->
                group.policies()
                        .forEach((name, member) -> modules.put("spec.policies[" + name + "].module", member.module()));
        }
        return modules;
    }

    /** Returns the kinds of objects that the members of a group read, by the field that names them. */
    public static Map<String, Set<ContextAwareResource>> contextAwareResources(PolicyContent content) {
        var resources = new LinkedHashMap<String, Set<ContextAwareResource>>();
        switch (content) {
            // Of the single kinds, only the cluster-wide one has the field, and its reads are not limited.
            case PolicyContent.Single _ -> {}
            case PolicyContent.Group group ->
                group.policies().forEach((name, member) -> {
                    if (!member.contextAwareResources().isEmpty()) {
                        resources.put(contextField(name), Set.copyOf(member.contextAwareResources()));
                    }
                });
        }
        return resources;
    }

    /** Returns the field of a member's context-aware resources. */
    public static String contextField(String member) {
        return "spec.policies[" + member + "].contextAwareResources";
    }

    /** Returns the parsed module references of a policy, by the field that names them. */
    public static Map<String, Optional<ModuleReference>> references(PolicyContent content) {
        var references = new LinkedHashMap<String, Optional<ModuleReference>>();
        modules(content).forEach((field, module) -> references.put(field, ModuleReference.parse(module)));
        return references;
    }
}
