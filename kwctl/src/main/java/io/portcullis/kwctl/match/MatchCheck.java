package io.portcullis.kwctl.match;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.core.overlap.ResourcePattern;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Checks whether an API server would call a policy for a request: matches rules, selectors and conditions. */
public final class MatchCheck {

    private static final String NAME_LABEL = "kubernetes.io/metadata.name";

    private MatchCheck() {}

    /**
     * Returns the reason why the API server would not call the policy; empty when it would.
     *
     * @param policy the custom resource of a policy or group
     * @param request the bare admission request
     * @param namespaceLabels labels of the request's namespace; the name label that every namespace has is added
     * @throws io.portcullis.kwctl.cli.CommandException when a condition cannot be evaluated, so that the result is unknown
     */
    public static Optional<String> reasonToSkip(
            JsonNode policy, JsonNode request, Map<String, String> namespaceLabels) {
        var spec = policy.path("spec");
        if (spec.path("rules").isArray() && !anyRule(spec.path("rules"), request)) {
            return Optional.of("no rule matches " + request.path("operation").asText() + " of " + resource(request));
        }
        if (isElsewhere(policy, request)) {
            return Optional.of("the policy is asked only in its own namespace, "
                    + policy.path("metadata").path("namespace").asText());
        }
        if (!selectsObject(spec.path("objectSelector"), request)) {
            return Optional.of("the objectSelector does not match the object's labels");
        }
        if (!selectsNamespace(spec.path("namespaceSelector"), request, namespaceLabels)) {
            return Optional.of("the namespaceSelector does not match the namespace's labels");
        }
        // Conditions are last, as in the API server. The CEL classes are loaded only here.
        return spec.path("matchConditions").isEmpty()
                ? Optional.empty()
                : MatchConditions.firstFalse(spec.path("matchConditions"), request)
                        .map(name -> "the matchCondition '" + name + "' is false");
    }

    private static String resource(JsonNode request) {
        var subResource = request.path("subResource").asText();
        return request.path("resource").path("resource").asText()
                + (subResource.isEmpty() || request.path("subResource").isNull() ? "" : "/" + subResource);
    }

    private static boolean anyRule(JsonNode rules, JsonNode request) {
        var resource = request.path("resource");
        return elements(rules)
                .anyMatch(rule ->
                        lists(rule.path("apiGroups"), resource.path("group").asText())
                                && lists(
                                        rule.path("apiVersions"),
                                        resource.path("version").asText())
                                && lists(
                                        rule.path("operations"),
                                        request.path("operation").asText())
                                && elements(rule.path("resources"))
                                        .map(pattern -> ResourcePattern.parse(pattern.asText()))
                                        .anyMatch(ResourcePattern.parse(resource(request))::meets)
                                && hasScope(rule.path("scope").asText("*"), request));
    }

    private static boolean lists(JsonNode list, String value) {
        return elements(list)
                .anyMatch(item -> item.asText().equals("*") || item.asText().equals(value));
    }

    private static boolean hasScope(String scope, JsonNode request) {
        return switch (scope) {
            case "Namespaced" -> !namespace(request).isEmpty();
            case "Cluster" -> namespace(request).isEmpty();
            default -> true;
        };
    }

    private static String namespace(JsonNode request) {
        return request.path("namespace").isTextual() ? request.path("namespace").asText() : "";
    }

    /**
     * Returns whether the policy is in another namespace than the request. Namespaced policies apply only to their own
     * namespace.
     */
    private static boolean isElsewhere(JsonNode policy, JsonNode request) {
        var home = policy.path("metadata").path("namespace").asText();
        return !policy.path("kind").asText().startsWith("Cluster")
                && !home.isEmpty()
                && !home.equals(namespace(request));
    }

    /** Returns whether the selector matches the object before or after the change. One match is enough. */
    private static boolean selectsObject(JsonNode selector, JsonNode request) {
        var known = Stream.of("object", "oldObject")
                .filter(request::hasNonNull)
                .map(request::get)
                .toList();
        return known.isEmpty()
                ? selects(selector, Map.of())
                : known.stream().anyMatch(object -> selects(selector, labels(object)));
    }

    /**
     * Returns whether the selector matches the namespace. Of cluster-scoped objects it selects only namespaces, by their
     * own labels.
     */
    private static boolean selectsNamespace(JsonNode selector, JsonNode request, Map<String, String> labels) {
        var isNamespace = resource(request).equals("namespaces");
        if (namespace(request).isEmpty() && !isNamespace) {
            return true;
        }
        var object = request.hasNonNull("object") ? request.path("object") : request.path("oldObject");
        var all = new TreeMap<>(isNamespace ? labels(object) : labels);
        all.putIfAbsent(
                NAME_LABEL, isNamespace ? object.path("metadata").path("name").asText() : namespace(request));
        return selects(selector, all);
    }

    private static Map<String, String> labels(JsonNode object) {
        var labels = new TreeMap<String, String>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    /** Evaluates a label selector by the rules of Kubernetes. An absent or empty selector matches everything. */
    static boolean selects(JsonNode selector, Map<String, String> labels) {
        return selector.path("matchLabels").properties().stream()
                        .allMatch(wanted -> wanted.getValue().asText().equals(labels.get(wanted.getKey())))
                && elements(selector.path("matchExpressions")).allMatch(expression -> holds(expression, labels));
    }

    private static boolean holds(JsonNode expression, Map<String, String> labels) {
        var value = Optional.ofNullable(labels.get(expression.path("key").asText()));
        var isListed = value.isPresent()
                && elements(expression.path("values"))
                        .anyMatch(item -> item.asText().equals(value.get()));
        return switch (expression.path("operator").asText()) {
            case "In" -> isListed;
            case "NotIn" -> !isListed;
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            default -> false;
        };
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
