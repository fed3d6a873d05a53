package io.portcullis.audit.policy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.core.webhook.WebhookNames;
import io.portcullis.matching.RequestMatcher;
import java.net.URI;
import java.util.Optional;

/**
 * The live webhook configuration of a policy. It defines what is currently enforced; the policy's spec may be newer.
 *
 * @param policy the owning policy, according to the webhook's annotations
 * @param requests the requests that the webhook matches
 */
public record Webhook(Flavour flavour, String name, Claim policy, Endpoint endpoint, RequestMatcher requests) {

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
                Endpoint.of(MAPPER.convertValue(entry.path("clientConfig"), WebhookClientConfig.class), server),
                RequestMatcher.read(entry));
    }

    private static Claim claim(JsonNode annotations) {
        return new Claim(
                annotations.path(WebhookNames.POLICY_NAME).asText(""),
                annotations.path(WebhookNames.POLICY_NAMESPACE).asText(""),
                annotations.path(WebhookNames.POLICY_UID).asText(""));
    }
}
