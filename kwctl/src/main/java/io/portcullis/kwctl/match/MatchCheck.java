package io.portcullis.kwctl.match;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.matching.AdmissionAttributes;
import io.portcullis.matching.MatchConditions;
import io.portcullis.matching.MatchOutcome;
import io.portcullis.matching.MatchOutcome.Consequence;
import io.portcullis.matching.RequestMatcher;
import io.portcullis.matching.RequestMatcher.Mismatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks whether an API server would call a policy for requests, and why not. Not thread-safe. */
public final class MatchCheck {

    private static final String RULES = "rules";

    private final JsonNode policy;
    private final RequestMatcher requests;
    private @Nullable MatchConditions conditions;

    private MatchCheck(JsonNode policy, RequestMatcher requests) {
        this.policy = policy;
        this.requests = requests;
    }

    /**
     * Reads what a policy matches. A policy without rules matches every resource.
     *
     * @param policy the custom resource of a policy or group
     * @throws CommandException when its rules, selectors or conditions are invalid
     */
    public static MatchCheck of(JsonNode policy) {
        try {
            return new MatchCheck(policy, RequestMatcher.read(withRules(policy.path("spec"))));
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    "policy '" + policy.path("metadata").path("name").asText() + "': spec." + e.getMessage());
        }
    }

    private static JsonNode withRules(JsonNode spec) {
        if (!(spec instanceof ObjectNode given) || given.hasNonNull(RULES)) {
            return spec;
        }
        var copy = given.objectNode();
        copy.setAll(given);
        var rule = copy.putArray(RULES).addObject();
        for (var field : List.of("apiGroups", "apiVersions", "operations")) {
            rule.putArray(field).add("*");
        }
        rule.putArray("resources").add("*/*");
        return copy;
    }

    /**
     * Returns the reason why the API server would not call the policy; empty when it would.
     *
     * @param request the bare admission request
     * @param namespaceLabels labels of the request's namespace; the name label that every namespace has is added
     * @throws CommandException when a condition cannot be evaluated, so that the result is unknown
     */
    public Optional<String> reasonToSkip(JsonNode request, Map<String, String> namespaceLabels) {
        var attributes = AdmissionAttributes.of(request);
        var mismatch = requests.mismatch(attributes, namespaceLabels);
        return mismatch.filter(part -> part == Mismatch.EXEMPT_RESOURCE || part == Mismatch.RULES)
                .map(part -> text(part, attributes))
                .or(() -> elsewhere(attributes))
                .or(() -> mismatch.map(part -> text(part, attributes)))
                .or(() -> conditions(attributes));
    }

    private static String text(Mismatch part, AdmissionAttributes request) {
        return switch (part) {
            case EXEMPT_RESOURCE -> "an API server asks no policy about resources of " + request.group();
            case RULES -> "no rule matches " + request.operation() + " of " + resource(request);
            case OBJECT_SELECTOR -> "the objectSelector does not match the object's labels";
            case NAMESPACE_SELECTOR -> "the namespaceSelector does not match the namespace's labels";
        };
    }

    private static String resource(AdmissionAttributes request) {
        return request.resource() + (request.subResource().isEmpty() ? "" : "/" + request.subResource());
    }

    /** A namespaced policy applies only to objects in its own namespace. A namespace object is in no namespace. */
    private Optional<String> elsewhere(AdmissionAttributes request) {
        var home = policy.path("metadata").path("namespace").asText();
        return policy.path("kind").asText().startsWith("Cluster")
                        || home.isEmpty()
                        || (request.isNamespaced() && home.equals(request.namespace()))
                ? Optional.empty()
                : Optional.of("the policy is asked only in its own namespace, " + home);
    }

    /** Conditions are last, as in the API server. The CEL classes are loaded only here. */
    private Optional<String> conditions(AdmissionAttributes request) {
        if (requests.conditions().isEmpty()) {
            return Optional.empty();
        }
        var compiled = conditions;
        if (compiled == null) {
            compiled = MatchConditions.compile(requests.conditions(), requests.failurePolicy());
            conditions = compiled;
        }
        return switch (compiled.evaluate(request)) {
            case MatchOutcome.Applies _ -> Optional.empty();
            case MatchOutcome.DoesNotApply(var name) -> Optional.of("the matchCondition '" + name + "' is false");
            case MatchOutcome.Failed(var errors, var consequence) -> {
                var error = errors.getFirst();
                var text = "the matchCondition '" + error.condition() + "' cannot be evaluated: " + error.reason();
                if (consequence == Consequence.NOT_CALLED) {
                    yield Optional.of("failurePolicy is Ignore, and " + text);
                }
                throw new CommandException(text);
            }
        };
    }
}
