package io.portcullis.audit.policy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.core.webhook.WebhookNames;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The live webhook configuration of a policy. It defines what is currently enforced; the policy's spec may be newer.
 *
 * @param policy the owning policy, according to the webhook's annotations
 */
public record Webhook(
        Flavour flavour,
        String name,
        Claim policy,
        Endpoint endpoint,
        List<RuleWithOperations> rules,
        LabelRequirements namespaces,
        LabelRequirements objects,
        List<MatchCondition> conditions) {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** The two types of webhook configurations. */
    public enum Flavour {
        VALIDATING("validatingwebhookconfigurations", "validating"),
        MUTATING("mutatingwebhookconfigurations", "mutating");

        private final String plural;
        private final String property;

        Flavour(String plural, String property) {
            this.plural = plural;
            this.property = property;
        }

        /** Returns the collection path in the API. */
        public String path() {
            return "/apis/admissionregistration.k8s.io/v1/" + plural;
        }

        /** Returns the name of the property in report results. */
        public String property() {
            return property;
        }
    }

    /** The owning policy, read from annotations. Missing annotations are empty. */
    public record Claim(String name, String namespace, String uid) {}

    public Webhook {
        rules = List.copyOf(rules);
        conditions = List.copyOf(conditions);
    }

    /**
     * @param server replaces scheme, host and port of the webhook
     * @throws IllegalArgumentException if the webhook is not from Portcullis or is invalid; the message contains the
     *     reason
     */
    static Webhook read(Flavour flavour, JsonNode configuration, Optional<URI> server) {
        var metadata = configuration.path("metadata");
        var entry = configuration.path("webhooks").path(0);
        if (entry.isMissingNode()) {
            throw new IllegalArgumentException("its webhook configuration is empty");
        }
        return new Webhook(
                flavour,
                metadata.path("name").asText(),
                claim(metadata.path("annotations")),
                Endpoint.of(read(entry.path("clientConfig"), WebhookClientConfig.class), server),
                readAll(entry.path("rules"), RuleWithOperations.class),
                selector(entry.path("namespaceSelector")),
                selector(entry.path("objectSelector")),
                readAll(entry.path("matchConditions"), MatchCondition.class));
    }

    private static Claim claim(JsonNode annotations) {
        return new Claim(
                annotations.path(WebhookNames.POLICY_NAME).asText(""),
                annotations.path(WebhookNames.POLICY_NAMESPACE).asText(""),
                annotations.path(WebhookNames.POLICY_UID).asText(""));
    }

    private static LabelRequirements selector(JsonNode selector) {
        return selector.isObject()
                ? LabelRequirements.of(read(selector, LabelSelector.class))
                : new LabelRequirements(Map.of());
    }

    private static <T> List<T> readAll(JsonNode array, Class<T> type) {
        var all = new ArrayList<T>();
        for (Iterator<JsonNode> items = array.elements(); items.hasNext(); ) {
            all.add(read(items.next(), type));
        }
        return all;
    }

    private static <T> T read(JsonNode node, Class<T> type) {
        return MAPPER.convertValue(node, type);
    }
}
