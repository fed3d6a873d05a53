package io.portcullis.controller.policy.webhook;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.core.webhook.WebhookNames;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Finds the policy that owns a labelled webhook. */
public sealed interface WebhookOwner {

    /** No policy owns the webhook: it is the controller's own, or another component's with our label. */
    record NotOurs() implements WebhookOwner {}

    /** An existing policy has this name. */
    record Present() implements WebhookOwner {}

    /** An existing policy had this name under another identity scheme. */
    record Renamed(Policy policy) implements WebhookOwner {}

    /** According to the watch cache, the policy is gone. It was one of these candidates. */
    record Gone(List<PolicyRef> candidates) implements WebhookOwner {}

    static WebhookOwner of(LiveWebhook webhook, PolicyObjects objects, IdentityScheme scheme) {
        var name = webhook.annotation(WebhookNames.POLICY_NAME);
        var id = webhook.object().getMetadata().getName();
        var candidates = name.map(policy -> candidates(
                        id, webhook.annotation(WebhookNames.POLICY_NAMESPACE).orElse(""), policy))
                .orElse(List.of());
        if (candidates.isEmpty()) {
            return new NotOurs();
        }
        var owners = candidates.stream()
                .map(objects::policy)
                .flatMap(policy -> policy.stream())
                .filter(policy -> webhook.belongsTo(policy.getMetadata().getUid()))
                .toList();
        if (owners.isEmpty()) {
            return new Gone(candidates);
        }
        return owners.stream().anyMatch(policy -> scheme.policyId(policy.ref()).equals(id))
                ? new Present()
                : new Renamed(owners.getFirst());
    }

    /** The policies to which any scheme gives this name. */
    private static List<PolicyRef> candidates(String id, String namespace, String name) {
        return Arrays.stream(PolicyKind.values())
                .map(kind -> new PolicyRef(kind, kind.isNamespaced() ? namespace : "", name))
                .filter(ref -> Stream.of(IdentityScheme.values())
                        .anyMatch(scheme -> scheme.policyId(ref).equals(id)))
                .toList();
    }
}
