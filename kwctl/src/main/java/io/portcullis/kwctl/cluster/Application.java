package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.policy.Policy;
import io.portcullis.core.overlap.LabelRequirements;
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
 * @param rules the rules of the policy that match the requests
 * @param onlyIf further conditions on the object or the request
 */
record Application(Policy policy, List<String> rules, List<String> onlyIf, Basis basis) {

    /** The source of the rules. */
    enum Basis {
        /** The rules of the webhook, which the API server uses. */
        WEBHOOK("webhook"),
        /** The rules of the policy, because it has no webhook or the user may not read the webhook. */
        POLICY("policy");

        private final String word;

        Basis(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** The namespace of the requests, with the labels that selectors match. */
    record TargetNamespace(String name, Map<String, String> labels) {}

    /**
     * Returns the application of a policy, if it applies. The live webhook decides if it exists, because it differs from
     * the policy while an update fails.
     *
     * @throws io.portcullis.api.json.FlatObject.MalformedException when the policy's spec is needed and is invalid
     */
    static Optional<Application> of(
            Policy policy, Optional<RegisteredWebhook> webhook, TargetNamespace place, RequestFilter filter) {
        if (policy.policyKind().isNamespaced() && !policy.ref().namespace().equals(place.name())) {
            return Optional.empty();
        }
        var matching = webhook.map(RegisteredWebhook::matching).orElseGet(() -> desiredMatching(policy));
        var rules = matching.rules().stream()
                .filter(filter::matches)
                .map(Application::rule)
                .toList();
        if (rules.isEmpty()
                || !LabelRequirements.of(matching.namespaceSelector()).accept(place.labels())) {
            return Optional.empty();
        }
        return Optional.of(
                new Application(policy, rules, onlyIf(matching), webhook.isPresent() ? Basis.WEBHOOK : Basis.POLICY));
    }

    /**
     * Returns the matching that the policy's spec requests. A namespaced policy has no namespace selector; the caller
     * already compared its namespace.
     */
    private static Matching desiredMatching(Policy policy) {
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

    /** Renders a selector in the syntax of {@code kubectl --selector}. */
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

    /** Renders a rule, for example {@code CREATE,UPDATE pods} or {@code * deployments.apps}. */
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
