package io.portcullis.controller.affected;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Namespace;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.core.overlap.Reach;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Computes for every accepted policy which mutating policies match the same requests. Pure function over all policies.
 */
public final class AffectedPass {

    /** All spec fields that {@link #reach} reads. */
    private static final List<String> REACH_FIELDS = List.of(
            "rules",
            "namespaceSelector",
            "objectSelector",
            "allowInsideAdmissionControllerNamespace",
            "mutating",
            "mode");

    private final String ownNamespace;
    private final List<Namespace> namespaces;
    /** Cached by selector, because many policies have the same selector, most of them none. */
    private final Map<LabelSelector, Set<String>> selected = new HashMap<>();

    private AffectedPass(String ownNamespace, Collection<Namespace> namespaces) {
        this.ownNamespace = ownNamespace;
        this.namespaces = List.copyOf(namespaces);
    }

    /** For each accepted policy, the mutating policies that match the same requests, sorted. */
    public static Map<PolicyRef, List<String>> of(
            Collection<Policy> policies, Collection<Namespace> namespaces, String ownNamespace) {
        var pass = new AffectedPass(ownNamespace, namespaces);
        var reaches = policies.stream()
                .filter(policy -> !policy.isMarkedForDeletion() && isAccepted(policy))
                .flatMap(policy -> pass.reach(policy).stream())
                .toList();
        var mutators =
                ReachIndex.of(reaches.stream().filter(Reach::changesObjects).toList());
        Map<PolicyRef, List<String>> affected = new HashMap<>();
        reaches.forEach(reach -> affected.put(reach.policy(), reach.affectedBy(mutators.near(reach))));
        return affected;
    }

    /** The same for one policy, which may not be accepted yet. */
    static List<String> of(
            Policy policy, Collection<Policy> policies, Collection<Namespace> namespaces, String ownNamespace) {
        var pass = new AffectedPass(ownNamespace, namespaces);
        var mutators = policies.stream()
                .filter(other -> other.getSpec().path("mutating").asBoolean(false)
                        && !other.isMarkedForDeletion()
                        && isAccepted(other)
                        && !other.ref().equals(policy.ref()))
                .flatMap(other -> pass.reach(other).stream())
                .filter(Reach::changesObjects)
                .toList();
        return pass.reach(policy).map(reach -> reach.affectedBy(mutators)).orElse(List.of());
    }

    public static boolean isAccepted(Policy policy) {
        return policy.getStatus() != null
                && policy.getStatus()
                        .condition(ConditionType.ACCEPTED)
                        .filter(Condition::isTrue)
                        .isPresent();
    }

    /** Whether the set of matching requests, or whether the policy mutates them, may have changed. */
    public static boolean isReachChanged(Policy before, Policy after) {
        return before.isMarkedForDeletion() != after.isMarkedForDeletion()
                || isAccepted(before) != isAccepted(after)
                || REACH_FIELDS.stream()
                        .anyMatch(field -> !before.getSpec()
                                .path(field)
                                .equals(after.getSpec().path(field)));
    }

    private Optional<Reach> reach(Policy policy) {
        PolicySpec spec;
        try {
            spec = policy.read();
        } catch (FlatObject.MalformedException _) {
            return Optional.empty();
        }
        boolean isNamespaced = policy.policyKind().isNamespaced();
        return Optional.of(new Reach(
                policy.ref(),
                spec.match().rules(),
                isNamespaced ? Set.of(policy.ref().namespace()) : namespaces(spec.match()),
                !isNamespaced && spec.match().rules().stream().anyMatch(rule -> !"Namespaced".equals(rule.getScope())),
                Objects.requireNonNullElseGet(spec.match().objectSelector(), LabelSelector::new),
                spec.isMutating() && spec.placement().mode() == PolicyMode.PROTECT));
    }

    private Set<String> namespaces(PolicySpec.Match match) {
        var selector = Objects.requireNonNullElseGet(match.namespaceSelector(), LabelSelector::new);
        var all = selected.computeIfAbsent(selector, this::select);
        if (match.allowInsideAdmissionControllerNamespace() || !all.contains(ownNamespace)) {
            return all;
        }
        var others = new ArrayList<>(all);
        others.remove(ownNamespace);
        return Set.copyOf(others);
    }

    private Set<String> select(LabelSelector selector) {
        var requirements = LabelRequirements.of(selector);
        return namespaces.stream()
                .filter(namespace -> requirements.accept(
                        Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.<String, String>of())))
                .map(namespace -> namespace.getMetadata().getName())
                .collect(Collectors.toUnmodifiableSet());
    }
}
