package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Whether an API server would ask a policy at all: its rules and selectors against a request. */
final class MatchCheck {

    private MatchCheck() {}

    /** Why the policy would not be asked; empty when it would. */
    static Optional<String> reasonToSkip(JsonNode spec, JsonNode request, Map<String, String> namespaceLabels) {
        if (spec.path("rules").isArray() && !anyRule(spec.path("rules"), request)) {
            return Optional.of("no rule matches " + request.path("operation").asText() + " of "
                    + request.path("resource").path("resource").asText());
        }
        if (!selects(spec.path("objectSelector"), labels(request))) {
            return Optional.of("the objectSelector does not match the object's labels");
        }
        if (!selects(spec.path("namespaceSelector"), namespaceLabels)) {
            return Optional.of("the namespaceSelector does not match the namespace's labels");
        }
        return Optional.empty();
    }

    private static boolean anyRule(JsonNode rules, JsonNode request) {
        var resource = request.path("resource");
        var subResource = request.path("subResource").asText();
        var name = resource.path("resource").asText() + (subResource.isEmpty() ? "" : "/" + subResource);
        for (var rule : rules) {
            if (lists(rule.path("apiGroups"), resource.path("group").asText())
                    && lists(rule.path("apiVersions"), resource.path("version").asText())
                    && lists(rule.path("operations"), request.path("operation").asText())
                    && listsResource(rule.path("resources"), name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean lists(JsonNode list, String value) {
        for (var item : list) {
            if (item.asText().equals("*") || item.asText().equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean listsResource(JsonNode list, String name) {
        var slash = name.indexOf('/');
        var parent = slash < 0 ? name : name.substring(0, slash);
        var child = slash < 0 ? "" : name.substring(slash + 1);
        for (var item : list) {
            var pattern = item.asText();
            var matches = pattern.equals("*/*")
                    || pattern.equals(name)
                    || (pattern.equals("*") && slash < 0)
                    || (slash >= 0 && (pattern.equals(parent + "/*") || pattern.equals("*/" + child)))
                    || (slash < 0 && pattern.equals(parent + "/*"));
            if (matches) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, String> labels(JsonNode request) {
        var object = request.hasNonNull("object") ? request.get("object") : request.path("oldObject");
        var labels = new TreeMap<String, String>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    /** A label selector by the rules of Kubernetes; an absent or empty one selects everything. */
    static boolean selects(JsonNode selector, Map<String, String> labels) {
        for (var wanted : selector.path("matchLabels").properties()) {
            if (!wanted.getValue().asText().equals(labels.get(wanted.getKey()))) {
                return false;
            }
        }
        for (var expression : selector.path("matchExpressions")) {
            if (!holds(expression, labels)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(JsonNode expression, Map<String, String> labels) {
        var value = Optional.ofNullable(labels.get(expression.path("key").asText()));
        return switch (expression.path("operator").asText()) {
            case "In" -> value.isPresent() && listsExactly(expression.path("values"), value.get());
            case "NotIn" -> value.isEmpty() || !listsExactly(expression.path("values"), value.get());
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            default -> false;
        };
    }

    private static boolean listsExactly(JsonNode list, String value) {
        for (var item : list) {
            if (item.asText().equals(value)) {
                return true;
            }
        }
        return false;
    }
}
