package io.portcullis.controller.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.lifecycle.TransitionEvents.Happening;
import io.portcullis.api.policy.PolicyStatus;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the API server knows match conditions on webhooks. One that does not drops them silently, and the policy would
 * judge more than its author wants; such a policy is refused instead. Asked once, when first needed.
 */
final class MatchConditionSupport implements BooleanSupplier {

    static final String UNSUPPORTED = "this API server does not know spec.matchConditions";

    private static final String DOCUMENT = "/openapi/v3/apis/admissionregistration.k8s.io/v1";
    private static final String WEBHOOK = ".ValidatingWebhook";
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Supplier<@Nullable String> document;
    private volatile @Nullable Boolean known;

    /** @param document the API server's description of webhook configurations; null if it has none */
    MatchConditionSupport(Supplier<@Nullable String> document) {
        this.document = document;
    }

    static MatchConditionSupport of(KubernetesClient client) {
        return new MatchConditionSupport(() -> client.raw(DOCUMENT));
    }

    @Override
    public boolean getAsBoolean() {
        var answer = known;
        if (answer == null) {
            answer = isDescribed(document.get());
            known = answer;
        }
        return answer;
    }

    private static boolean isDescribed(@Nullable String text) {
        if (text == null) {
            return false;
        }
        try {
            return MAPPER.readTree(text).path("components").path("schemas").properties().stream()
                    .filter(schema -> schema.getKey().endsWith(WEBHOOK))
                    .map(Map.Entry::getValue)
                    .anyMatch(MatchConditionSupport::hasMatchConditions);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the API server's description of its API cannot be read", e);
        }
    }

    private static boolean hasMatchConditions(JsonNode schema) {
        return schema.path("properties").has("matchConditions");
    }

    /** The Event about a policy that is refused for this reason, when it begins to be. */
    static Optional<Happening> happening(@Nullable PolicyStatus before, PolicyStatus after) {
        boolean isNews = before == null
                || before.observedGeneration() != after.observedGeneration()
                || complaint(before).isEmpty();
        return complaint(after)
                .filter(_ -> isNews)
                .map(condition -> new Happening(true, "MatchConditionsUnsupported", condition.message()));
    }

    private static Optional<Condition> complaint(PolicyStatus status) {
        return status.condition(ConditionType.ACCEPTED)
                .filter(condition -> condition.message().contains(UNSUPPORTED));
    }
}
