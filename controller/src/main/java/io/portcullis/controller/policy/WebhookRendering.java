package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Fidelity;
import io.portcullis.api.webhook.DesiredWebhook;
import io.portcullis.api.webhook.WebhookComparison;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Webhooks as they should be, with the certificates of the moment.
 *
 * @param caBundle base64 of the certificates that policy servers are checked with; empty while there are none yet
 */
record WebhookRendering(String namespace, Supplier<Optional<String>> caBundle) {

    /** @throws IllegalStateException when there are no certificates yet, or the revision is not what was frozen */
    HasMetadata render(PolicyRevision revision) {
        if (!revision.getSpec().isIntact()) {
            throw new IllegalStateException(
                    "the content of revision " + revision.getMetadata().getName() + " was changed; it is not used");
        }
        var bundle = caBundle.get()
                .orElseThrow(() -> new IllegalStateException("there is no certificate authority for webhooks yet"));
        return new DesiredWebhook(namespace, bundle).of(revision);
    }

    /** How a live webhook compares with what its revision asks for. */
    Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision) {
        return fidelity(live, revision, caBundle.get().orElse(live.caBundle()));
    }

    /** Whether only the certificates are others: they were rotated, and nobody touched it. */
    boolean differsInCertificatesOnly(LiveWebhook live, PolicyRevision revision) {
        return fidelity(live, Optional.of(revision), live.caBundle()) instanceof Fidelity.Exact;
    }

    private Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision, String bundle) {
        if (revision.isEmpty()) {
            return new Fidelity.Astray("path");
        }
        try {
            return WebhookComparison.compare(new DesiredWebhook(namespace, bundle).of(revision.get()), live.object());
        } catch (FlatObject.MalformedException e) {
            return new Fidelity.Astray("its revision cannot be read: " + e.getMessage());
        }
    }
}
