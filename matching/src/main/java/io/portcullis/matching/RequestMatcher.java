package io.portcullis.matching;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.core.overlap.LabelRequirements;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The requests that a webhook matches. Matches rules and selectors in the same way as the API server, except for {@code
 * matchPolicy: Equivalent}: only the API server can convert objects to other versions. {@link MatchConditions} evaluates the
 * conditions of the requests that match.
 */
public record RequestMatcher(
        List<RuleWithOperations> rules,
        LabelRequirements namespaces,
        LabelRequirements objects,
        List<MatchCondition> conditions,
        FailurePolicy failurePolicy) {

    private static final String NAME_LABEL = "kubernetes.io/metadata.name";
    private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist");

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .defaultSetterInfo(JsonSetter.Value.construct(Nulls.SKIP, Nulls.FAIL))
            .build();

    /** The part of a webhook that excludes a request. */
    public enum Mismatch {
        /** The API server calls no webhook at all for this resource. */
        EXEMPT_RESOURCE,
        RULES,
        OBJECT_SELECTOR,
        NAMESPACE_SELECTOR
    }

    public RequestMatcher {
        rules = List.copyOf(rules);
        conditions = List.copyOf(conditions);
    }

    /**
     * Reads an entry of a webhook configuration, or the spec of a policy. Both have the same fields.
     *
     * @throws IllegalArgumentException when a field is invalid; the message names the field
     */
    public static RequestMatcher read(JsonNode entry) {
        return new RequestMatcher(
                readAll(entry, "rules", RuleWithOperations.class),
                selector(entry, "namespaceSelector"),
                selector(entry, "objectSelector"),
                readAll(entry, "matchConditions", MatchCondition.class),
                FailurePolicy.parse(
                        Optional.ofNullable(entry.path("failurePolicy").textValue())));
    }

    private static LabelRequirements selector(JsonNode entry, String field) {
        var node = entry.path(field);
        if (node.isMissingNode() || node.isNull()) {
            return new LabelRequirements(Map.of());
        }
        var selector = read(node, field, LabelSelector.class);
        selector.getMatchExpressions().stream()
                .filter(expression -> expression.getKey() == null
                        || expression.getOperator() == null
                        || !OPERATORS.contains(expression.getOperator()))
                .findFirst()
                .ifPresent(_ -> {
                    throw new IllegalArgumentException(field + ".matchExpressions needs a key and one of the operators "
                            + String.join(", ", OPERATORS));
                });
        return LabelRequirements.of(selector);
    }

    private static <T> List<T> readAll(JsonNode entry, String field, Class<T> type) {
        var node = entry.path(field);
        if (!node.isMissingNode() && !node.isNull() && !node.isArray()) {
            throw new IllegalArgumentException(field + " is not a list");
        }
        var all = new ArrayList<T>();
        for (int i = 0; i < node.size(); i++) {
            all.add(read(node.path(i), field + "[" + i + "]", type));
        }
        return all;
    }

    private static <T> T read(JsonNode node, String field, Class<T> type) {
        if (!node.isObject()) {
            throw new IllegalArgumentException(field + " is not an object");
        }
        try {
            return MAPPER.treeToValue(node, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(field + " has a value of the wrong type", e);
        }
    }

    /**
     * Returns the first part of the webhook that excludes the request; empty when rules and selectors match.
     *
     * @param namespaceLabels labels of the request's namespace
     */
    public Optional<Mismatch> mismatch(AdmissionAttributes request, Map<String, String> namespaceLabels) {
        if (request.group().equals(AdmissionAttributes.EXEMPT_GROUP)) {
            return Optional.of(Mismatch.EXEMPT_RESOURCE);
        }
        if (!matchesRules(request)) {
            return Optional.of(Mismatch.RULES);
        }
        if (!selectsObject(request)) {
            return Optional.of(Mismatch.OBJECT_SELECTOR);
        }
        return selectsNamespace(request, namespaceLabels) ? Optional.empty() : Optional.of(Mismatch.NAMESPACE_SELECTOR);
    }

    private boolean matchesRules(AdmissionAttributes request) {
        return rules.stream().anyMatch(rule -> new RuleMatcher(rule).matches(request));
    }

    /** Returns whether the object selector matches the object before or after the change. One match is enough. */
    public boolean selectsObject(AdmissionAttributes request) {
        return objects.byKey().isEmpty()
                || Stream.of(request.object(), request.oldObject())
                        .flatMap(Optional::stream)
                        .anyMatch(object -> objects.accept(AdmissionAttributes.labels(object)));
    }

    /**
     * Returns whether the namespace selector matches. It does not apply to cluster-scoped objects, except for namespaces,
     * which are matched by their own labels.
     *
     * @param namespaceLabels labels of the request's namespace; the name label that every namespace has is added
     */
    public boolean selectsNamespace(AdmissionAttributes request, Map<String, String> namespaceLabels) {
        var isNamespaceObject = request.isAboutNamespaceObject();
        if (request.namespace().isEmpty() && !isNamespaceObject) {
            return true;
        }
        var object = request.object().or(request::oldObject);
        var usesOwnLabels = isNamespaceObject && request.subResource().isEmpty() && object.isPresent();
        var labels = new TreeMap<>(usesOwnLabels ? AdmissionAttributes.labels(object.get()) : namespaceLabels);
        labels.putIfAbsent(
                NAME_LABEL,
                usesOwnLabels ? object.get().path("metadata").path("name").asText() : request.namespace());
        return namespaces.accept(labels);
    }
}
