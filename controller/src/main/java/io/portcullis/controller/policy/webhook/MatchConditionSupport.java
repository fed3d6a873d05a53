package io.portcullis.controller.policy.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the API server supports match conditions on webhooks. An older API server drops them silently, so that
 * the policy would evaluate more requests than its author wants. The controller rejects such a policy instead. Asks the
 * API server once, on first use.
 */
public final class MatchConditionSupport implements BooleanSupplier {

    public static final String UNSUPPORTED = "this API server does not know spec.matchConditions";

    private static final String DOCUMENT = "/openapi/v3/apis/admissionregistration.k8s.io/v1";
    private static final String WEBHOOK = ".ValidatingWebhook";
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Supplier<@Nullable String> document;
    private volatile @Nullable Boolean supported;

    /** @param document the API server's OpenAPI document of webhook configurations; null if it has none */
    MatchConditionSupport(Supplier<@Nullable String> document) {
        this.document = document;
    }

    public static MatchConditionSupport of(KubernetesClient client) {
        return new MatchConditionSupport(() -> client.raw(DOCUMENT));
    }

    @Override
    public boolean getAsBoolean() {
        var isSupported = supported;
        if (isSupported == null) {
            isSupported = isDescribed(document.get());
            supported = isSupported;
        }
        return isSupported;
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

    /** The Event for a policy that becomes rejected for this reason. */
    public static Optional<EventDraft> eventDraft(@Nullable PolicyStatus before, PolicyStatus after) {
        boolean isNew = before == null
                || before.observedGeneration() != after.observedGeneration()
                || unsupportedCondition(before).isEmpty();
        return unsupportedCondition(after)
                .filter(_ -> isNew)
                .map(condition -> new EventDraft(true, "MatchConditionsUnsupported", condition.message()));
    }

    private static Optional<Condition> unsupportedCondition(PolicyStatus status) {
        return status.condition(ConditionType.ACCEPTED)
                .filter(condition -> condition.message().contains(UNSUPPORTED));
    }
}
