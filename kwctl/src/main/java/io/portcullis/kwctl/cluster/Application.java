package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.overlap.LabelRequirements;
import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.cluster.RegisteredWebhook.Matching;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A policy that applies to requests in a namespace.
 *
 * @param rules of its rules those that do
 * @param onlyIf what else must hold of the object or the request
 */
record Application(Policy policy, List<String> rules, List<String> onlyIf, Basis basis) {

    /** Whose rules were looked at. */
    enum Basis {
        /** The webhook's: what the API server goes by. */
        WEBHOOK("webhook"),
        /** The policy's own, because it has no webhook or none that may be seen. */
        POLICY("policy");

        private final String word;

        Basis(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** The namespace as selectors see it. */
    record Place(String name, Map<String, String> labels) {}

    /**
     * Whether the policy applies. The live webhook decides if there is one: while an update fails it differs from the policy.
     *
     * @throws io.portcullis.api.json.FlatObject.MalformedException when the policy's spec must be read and cannot
     */
    static Optional<Application> of(
            Policy policy, Optional<RegisteredWebhook> webhook, Place place, RequestFilter filter) {
        if (policy.policyKind().isNamespaced() && !policy.ref().namespace().equals(place.name())) {
            return Optional.empty();
        }
        var matching = webhook.map(RegisteredWebhook::matching).orElseGet(() -> wanted(policy));
        var rules = matching.rules().stream()
                .filter(filter::meets)
                .map(Application::rule)
                .toList();
        if (rules.isEmpty()
                || !LabelRequirements.of(matching.namespaceSelector()).accept(place.labels())) {
            return Optional.empty();
        }
        return Optional.of(
                new Application(policy, rules, onlyIf(matching), webhook.isPresent() ? Basis.WEBHOOK : Basis.POLICY));
    }

    /** A namespaced policy has no selector of its own: its namespace was compared already. */
    private static Matching wanted(Policy policy) {
        var match = policy.read().match();
        return Matching.of(
                match.rules(),
                policy.policyKind().isNamespaced() ? null : match.namespaceSelector(),
                match.objectSelector(),
                match.matchConditions());
    }

    private static List<String> onlyIf(Matching matching) {
        return Stream.concat(
                        selector(matching.objectSelector()).stream(),
                        matching.matchConditions().stream()
                                .map(MatchCondition::getName)
                                .map(name -> "matchCondition " + name))
                .toList();
    }

    /** As {@code kubectl --selector} writes it. */
    private static List<String> selector(LabelSelector selector) {
        var labels = new TreeMap<>(Objects.requireNonNullElse(selector.getMatchLabels(), Map.<String, String>of()));
        return Stream.concat(
                        labels.entrySet().stream().map(label -> label.getKey() + "=" + label.getValue()),
                        selector.getMatchExpressions().stream().map(Application::requirement))
                .toList();
    }

    private static String requirement(LabelSelectorRequirement requirement) {
        var values = "(" + String.join(",", Objects.requireNonNullElse(requirement.getValues(), List.of())) + ")";
        return switch (requirement.getOperator()) {
            case "In" -> requirement.getKey() + " in " + values;
            case "NotIn" -> requirement.getKey() + " notin " + values;
            case "Exists" -> requirement.getKey();
            case "DoesNotExist" -> "!" + requirement.getKey();
            default -> requirement.getKey() + " " + requirement.getOperator() + " " + values;
        };
    }

    /** {@code CREATE,UPDATE pods} or {@code * deployments.apps}. */
    private static String rule(RuleWithOperations rule) {
        var groups = rule.getApiGroups();
        var resources = rule.getResources().stream()
                .flatMap(resource -> groups.stream().map(group -> resource(resource, group)))
                .toList();
        return String.join(",", rule.getOperations()) + " " + String.join(",", resources);
    }

    private static String resource(String resource, String group) {
        if (group.isEmpty() || (group.equals("*") && resource.startsWith("*"))) {
            return resource;
        }
        var slash = resource.indexOf('/');
        return slash < 0
                ? resource + "." + group
                : resource.substring(0, slash) + "." + group + resource.substring(slash);
    }
}
