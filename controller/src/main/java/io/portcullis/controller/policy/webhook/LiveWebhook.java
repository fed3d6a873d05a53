package io.portcullis.controller.policy.webhook;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.core.webhook.WebhookNames;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A webhook configuration of either kind as stored in the API server. Its target is read from the client configuration,
 * which decides where requests go, not from annotations.
 */
public record LiveWebhook(HasMetadata object) {

    private Optional<WebhookClientConfig> clientConfig() {
        return switch (object) {
            case ValidatingWebhookConfiguration validating ->
                validating.getWebhooks().stream().findFirst().map(ValidatingWebhook::getClientConfig);
            case MutatingWebhookConfiguration mutating ->
                mutating.getWebhooks().stream().findFirst().map(MutatingWebhook::getClientConfig);
            default -> Optional.empty();
        };
    }

    public Optional<LabelSelector> namespaceSelector() {
        return switch (object) {
            case ValidatingWebhookConfiguration validating ->
                validating.getWebhooks().stream().findFirst().map(ValidatingWebhook::getNamespaceSelector);
            case MutatingWebhookConfiguration mutating ->
                mutating.getWebhooks().stream().findFirst().map(MutatingWebhook::getNamespaceSelector);
            default -> Optional.empty();
        };
    }

    private Optional<ServiceReference> service() {
        return clientConfig().map(WebhookClientConfig::getService);
    }

    /** The generation that receives the requests; 0 when the path contains none. */
    public long generation() {
        return WebhookNames.generation(service().map(ServiceReference::getPath).orElse(null));
    }

    /** The PolicyServer that receives the requests; empty when the Service is none of ours. */
    public String policyServer() {
        return service()
                .map(ServiceReference::getName)
                .flatMap(PolicyServerNames::policyServer)
                .orElse("");
    }

    /** Base64, as written in the object; empty when there is none. */
    public String caBundle() {
        return clientConfig().map(WebhookClientConfig::getCaBundle).orElse("");
    }

    /** The uid of the policy that owns the webhook, if the annotation exists. */
    public Optional<String> policyUid() {
        return annotation(WebhookNames.POLICY_UID);
    }

    public Optional<String> annotation(String name) {
        return Optional.ofNullable(
                Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.<String, String>of())
                        .get(name));
    }

    /** Whether the policy owns the webhook. Without annotations the name alone decides. */
    public boolean belongsTo(String uid) {
        return policyUid().map(uid::equals).orElse(true);
    }
}
