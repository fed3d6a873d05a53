package io.portcullis.controller.policy.webhook;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.core.precedence.Loss;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.webhook.WebhookComparison;
import java.util.List;
import java.util.stream.Stream;

/**
 * Registers and removes webhooks. A policy has one webhook, of one of two kinds. While the kind changes, the new one is
 * created first.
 */
public final class WebhookWriter {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final ApiWriter api;
    private final PolicyObjects objects;
    private final WebhookRendering rendering;

    public WebhookWriter(ApiWriter api, PolicyObjects objects, WebhookRendering rendering) {
        this.api = api;
        this.objects = objects;
        this.rendering = rendering;
    }

    /**
     * Points the policy's webhook at a revision, unless the webhook has changed since the decision. A controller that
     * was paused in between may no longer lead, and would send requests back to a revision that is no longer served.
     *
     * @param loss what precedence takes from the policy
     * @param observed the policy's webhooks at the time of the decision
     */
    public void register(PolicyRevision revision, Loss loss, List<LiveWebhook> observed) {
        var desired = rendering.render(revision, loss);
        observed.stream()
                .map(LiveWebhook::object)
                .filter(webhook -> webhook.getKind().equals(desired.getKind()))
                .map(webhook -> webhook.getMetadata().getResourceVersion())
                .forEach(desired.getMetadata()::setResourceVersion);
        var applied = api.apply(desired);
        if (!(WebhookComparison.compare(desired, applied) instanceof Fidelity.Exact)) {
            replaceEntries(desired, applied);
        }
        live(revision.getSpec().policyID())
                .filter(other -> !other.getKind().equals(desired.getKind()))
                .forEach(api::delete);
    }

    /**
     * Replaces all entries. Others added entries, or fields that we leave to their default, and an apply cannot remove
     * those.
     */
    private void replaceEntries(HasMetadata desired, HasMetadata live) {
        var operations = JsonNodeFactory.instance.arrayNode();
        operations
                .addObject()
                .put("op", "replace")
                .put("path", "/webhooks")
                .set("value", MAPPER.valueToTree(desired).path("webhooks"));
        api.edit(live, operations);
    }

    /** Removes webhooks of both kinds; keeps one that belongs to another policy of that name. */
    public void unregister(String policyId, String policyUid) {
        live(policyId)
                .filter(webhook -> new LiveWebhook(webhook).belongsTo(policyUid))
                .forEach(api::delete);
    }

    private Stream<HasMetadata> live(String policyId) {
        return Stream.<HasMetadata>concat(
                objects.validatingWebhook(policyId).stream(), objects.mutatingWebhook(policyId).stream());
    }
}
