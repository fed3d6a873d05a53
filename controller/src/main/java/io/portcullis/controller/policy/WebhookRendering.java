package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.precedence.Loss;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Fidelity;
import io.portcullis.api.webhook.DesiredWebhook;
import io.portcullis.api.webhook.WebhookComparison;
import io.portcullis.api.webhook.WebhookNames;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Webhooks as they should be, with the certificates of the moment.
 *
 * @param caBundle base64 of the certificates that policy servers are checked with; empty while there are none yet
 */
record WebhookRendering(String namespace, Supplier<Optional<String>> caBundle) {

    /** @throws IllegalStateException when there are no certificates yet, or the revision is not what was frozen */
    HasMetadata render(PolicyRevision revision, Loss loss) {
        if (!revision.getSpec().isIntact()) {
            throw new IllegalStateException(
                    "the content of revision " + revision.getMetadata().getName() + " was changed; it is not used");
        }
        var bundle = caBundle.get()
                .orElseThrow(() -> new IllegalStateException("there is no certificate authority for webhooks yet"));
        return new DesiredWebhook(namespace, bundle).of(revision, loss);
    }

    /** How a live webhook compares with what its revision asks for. */
    Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision, Loss loss) {
        return fidelity(live, revision, loss, caBundle.get().orElse(live.caBundle()));
    }

    /** Whether only the certificates are others: they were rotated, and nobody touched it. */
    boolean differsInCertificatesOnly(LiveWebhook live, PolicyRevision revision, Loss loss) {
        return fidelity(live, Optional.of(revision), loss, live.caBundle()) instanceof Fidelity.Exact;
    }

    /** Whether it was written while precedence took something else from the policy than now. */
    boolean isOfOtherPrecedence(LiveWebhook live, PolicyRevision revision, Loss loss) {
        var wanted = Objects.requireNonNullElse(
                render(revision, loss).getMetadata().getAnnotations().get(WebhookNames.PRECEDENCE), "");
        return !wanted.equals(live.annotation(WebhookNames.PRECEDENCE).orElse(""));
    }

    private Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision, Loss loss, String bundle) {
        if (revision.isEmpty()) {
            return new Fidelity.Astray("path");
        }
        try {
            return WebhookComparison.compare(
                    new DesiredWebhook(namespace, bundle).of(revision.get(), loss), live.object());
        } catch (FlatObject.MalformedException e) {
            return new Fidelity.Astray("its revision cannot be read: " + e.getMessage());
        }
    }
}
