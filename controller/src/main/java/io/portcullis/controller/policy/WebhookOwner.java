package io.portcullis.controller.policy;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.webhook.WebhookNames;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Whose a webhook is that bears our label. */
sealed interface WebhookOwner {

    /** It is no policy's: the controller's own, or somebody's with our label. */
    record NotOurs() implements WebhookOwner {}

    /** A policy that exists goes by this name. */
    record Known() implements WebhookOwner {}

    /** A policy that exists went by this name under another identity scheme. */
    record Renamed(Policy policy) implements WebhookOwner {}

    /** As far as the watch knows, its policy is gone. It may have been any of these. */
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
                ? new Known()
                : new Renamed(owners.getFirst());
    }

    /** The policies that some scheme gives this very name. */
    private static List<PolicyRef> candidates(String id, String namespace, String name) {
        return Arrays.stream(PolicyKind.values())
                .map(kind -> new PolicyRef(kind, kind.isNamespaced() ? namespace : "", name))
                .filter(ref -> Stream.of(IdentityScheme.values())
                        .anyMatch(scheme -> scheme.policyId(ref).equals(id)))
                .toList();
    }
}
