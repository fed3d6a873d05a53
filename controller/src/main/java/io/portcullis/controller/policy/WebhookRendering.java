package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.precedence.Loss;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Fidelity;
import io.portcullis.api.webhook.DesiredWebhook;
import io.portcullis.api.webhook.WebhookComparison;
import io.portcullis.api.webhook.WebhookNames;
import io.portcullis.controller.cluster.Watched;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Webhooks as they should be, with the certificates of the moment. Thread-safe. */
final class WebhookRendering {

    private final String namespace;
    private final Supplier<Optional<String>> namespaceUid;
    private final Supplier<Optional<String>> caBundle;
    private final BooleanSupplier knowsMatchConditions;
    /** By the webhook's uid; every pass asks, and the answer changes rarely. */
    private final Map<String, Compared> compared = new ConcurrentHashMap<>();

    /**
     * Renders for one cluster.
     *
     * @param namespaceUid of the namespace that policy servers run in
     * @param caBundle base64 of the certificates that policy servers are checked with; empty while there are none yet
     * @param knowsMatchConditions whether the API server does
     */
    WebhookRendering(
            String namespace,
            Supplier<Optional<String>> namespaceUid,
            Supplier<Optional<String>> caBundle,
            BooleanSupplier knowsMatchConditions) {
        this.namespace = namespace;
        this.namespaceUid = namespaceUid;
        this.caBundle = caBundle;
        this.knowsMatchConditions = knowsMatchConditions;
    }

    private record Compared(HasMetadata live, Wanted wanted, Fidelity fidelity) {}

    /**
     * All that a rendered webhook depends on.
     *
     * @param revisionGeneration of the object: another one when its spec is
     */
    private record Wanted(String revisionUid, long revisionGeneration, String policyServer, Loss loss, String bundle) {

        static Wanted of(PolicyRevision revision, Loss loss, String bundle) {
            return new Wanted(
                    revision.getMetadata().getUid(),
                    revision.getMetadata().getGeneration(),
                    RevisionWriter.policyServer(revision),
                    loss,
                    bundle);
        }
    }

    /** Forgets what is gone; to be called before the watches start. */
    void follow(Watched<? extends HasMetadata> webhooks) {
        webhooks.onGone(webhook -> compared.remove(webhook.getMetadata().getUid()));
    }

    /** @throws IllegalStateException when there are no certificates yet, or the revision is not what was frozen */
    HasMetadata render(PolicyRevision revision, Loss loss) {
        if (!revision.getSpec().isIntact()) {
            throw new IllegalStateException(
                    "the content of revision " + revision.getMetadata().getName() + " was changed; it is not used");
        }
        var bundle = caBundle.get()
                .orElseThrow(() -> new IllegalStateException("there is no certificate authority for webhooks yet"));
        return desired(bundle).of(revision, loss);
    }

    private DesiredWebhook desired(String bundle) {
        return new DesiredWebhook(namespace, namespaceUid.get(), bundle, knowsMatchConditions.getAsBoolean());
    }

    /** How a live webhook compares with what its revision asks for. */
    Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision, Loss loss) {
        if (revision.isEmpty()) {
            return new Fidelity.Astray("path");
        }
        var bundle = caBundle.get().orElse(live.caBundle());
        return compared.compute(live.object().getMetadata().getUid(), (_, known) -> {
                    var wanted = Wanted.of(revision.get(), loss, bundle);
                    return known != null && isSame(known.live(), live.object()) && wanted.equals(known.wanted())
                            ? known
                            : new Compared(live.object(), wanted, compare(live, revision.get(), loss, bundle));
                })
                .fidelity();
    }

    @SuppressWarnings("ReferenceEquality") // objects of the watches are never changed, only replaced
    private static boolean isSame(HasMetadata known, HasMetadata live) {
        return known == live;
    }

    /** Whether only the certificates are others: they were rotated, and nobody touched it. */
    boolean differsInCertificatesOnly(LiveWebhook live, PolicyRevision revision, Loss loss) {
        return compare(live, revision, loss, live.caBundle()) instanceof Fidelity.Exact;
    }

    /** Whether only the exemption of the platform is missing: a release before it wrote the webhook. */
    boolean lacksExemptionOnly(LiveWebhook live, PolicyRevision revision, Loss loss) {
        var before = new DesiredWebhook(namespace, Optional.empty(), live.caBundle(), false).of(revision, loss);
        return WebhookComparison.compare(before, live.object()) instanceof Fidelity.Exact;
    }

    /** Whether it was written while precedence took something else from the policy than now. */
    boolean isOfOtherPrecedence(LiveWebhook live, PolicyRevision revision, Loss loss) {
        var wanted = Objects.requireNonNullElse(
                render(revision, loss).getMetadata().getAnnotations().get(WebhookNames.PRECEDENCE), "");
        return !wanted.equals(live.annotation(WebhookNames.PRECEDENCE).orElse(""));
    }

    private Fidelity compare(LiveWebhook live, PolicyRevision revision, Loss loss, String bundle) {
        try {
            return WebhookComparison.compare(desired(bundle).of(revision, loss), live.object());
        } catch (FlatObject.MalformedException e) {
            return new Fidelity.Astray("its revision cannot be read: " + e.getMessage());
        }
    }
}
