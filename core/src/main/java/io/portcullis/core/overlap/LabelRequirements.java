package io.portcullis.core.overlap;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** A label selector grouped by key. It decides exactly, for each key, whether an object can satisfy two selectors. */
public record LabelRequirements(Map<String, List<LabelSelectorRequirement>> byKey) {

    public static LabelRequirements of(LabelSelector selector) {
        Map<String, List<LabelSelectorRequirement>> byKey = new HashMap<>();
        Objects.requireNonNullElse(selector.getMatchLabels(), Map.<String, String>of())
                .forEach((key, value) -> add(byKey, new LabelSelectorRequirement(key, "In", List.of(value))));
        selector.getMatchExpressions().forEach(requirement -> add(byKey, requirement));
        return new LabelRequirements(byKey);
    }

    private static void add(Map<String, List<LabelSelectorRequirement>> byKey, LabelSelectorRequirement requirement) {
        byKey.merge(requirement.getKey(), List.of(requirement), LabelRequirements::join);
    }

    private static List<LabelSelectorRequirement> join(
            List<LabelSelectorRequirement> one, List<LabelSelectorRequirement> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    public boolean areCompatibleWith(LabelRequirements other) {
        Map<String, List<LabelSelectorRequirement>> all = new HashMap<>(byKey);
        other.byKey.forEach((key, requirements) -> all.merge(key, requirements, LabelRequirements::join));
        return all.values().stream().allMatch(LabelRequirements::areSatisfiable);
    }

    /**
     * Returns whether this selector accepts all objects that the other selector accepts. True is certain, because the other
     * selector then contains all requirements of this one. False may be wrong.
     */
    public boolean areImpliedBy(LabelRequirements other) {
        return byKey.entrySet().stream()
                .allMatch(entry ->
                        other.byKey.getOrDefault(entry.getKey(), List.of()).containsAll(entry.getValue()));
    }

    /** Returns whether the labels satisfy the selector, by the rules of Kubernetes. */
    public boolean accept(Map<String, String> labels) {
        return byKey.entrySet().stream()
                .allMatch(entry -> entry.getValue().stream().allMatch(requirement -> {
                    var value = labels.get(entry.getKey());
                    return switch (requirement.getOperator()) {
                        case "In" -> value != null && requirement.getValues().contains(value);
                        case "NotIn" ->
                            value == null || !requirement.getValues().contains(value);
                        case "Exists" -> value != null;
                        case "DoesNotExist" -> value == null;
                        default -> false;
                    };
                }));
    }

    /** Returns whether some value satisfies all requirements. An absent label satisfies NotIn and DoesNotExist. */
    private static boolean areSatisfiable(List<LabelSelectorRequirement> requirements) {
        boolean mustExist = false;
        boolean mustNotExist = false;
        Set<String> excluded = new HashSet<>();
        Set<String> allowed = new HashSet<>();
        boolean isLimited = false;
        for (LabelSelectorRequirement requirement : requirements) {
            switch (requirement.getOperator()) {
                case "In" -> {
                    mustExist = true;
                    if (isLimited) {
                        allowed.retainAll(requirement.getValues());
                    } else {
                        allowed.addAll(requirement.getValues());
                    }
                    isLimited = true;
                }
                case "NotIn" -> excluded.addAll(requirement.getValues());
                case "Exists" -> mustExist = true;
                case "DoesNotExist" -> mustNotExist = true;
                default -> {}
            }
        }
        allowed.removeAll(excluded);
        return !(mustExist && mustNotExist) && !(isLimited && allowed.isEmpty());
    }
}
