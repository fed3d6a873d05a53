package io.portcullis.controller.policy.webhook;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.core.precedence.Loss;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.webhook.DesiredWebhook;
import io.portcullis.core.webhook.WebhookComparison;
import io.portcullis.core.webhook.WebhookNames;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Renders desired webhooks with the current certificates. Thread-safe. */
public final class WebhookRendering {

    private final String namespace;
    private final Supplier<Optional<String>> namespaceUid;
    private final Supplier<Optional<String>> caBundle;
    private final BooleanSupplier supportsMatchConditions;
    /** Cached comparisons by the webhook's uid, because every pass compares and the result changes rarely. */
    private final Map<String, CachedComparison> comparisons = new ConcurrentHashMap<>();

    /**
     * Creates a renderer for one cluster.
     *
     * @param namespaceUid of the namespace of policy servers
     * @param caBundle base64 of the CA certificates of policy servers; empty while there are none yet
     * @param supportsMatchConditions whether the API server supports match conditions
     */
    public WebhookRendering(
            String namespace,
            Supplier<Optional<String>> namespaceUid,
            Supplier<Optional<String>> caBundle,
            BooleanSupplier supportsMatchConditions) {
        this.namespace = namespace;
        this.namespaceUid = namespaceUid;
        this.caBundle = caBundle;
        this.supportsMatchConditions = supportsMatchConditions;
    }

    private record CachedComparison(HasMetadata live, Wanted wanted, Fidelity fidelity) {}

    /**
     * All inputs of a rendered webhook.
     *
     * @param revisionGeneration metadata.generation of the revision, which changes with its spec
     */
    private record Wanted(String revisionUid, long revisionGeneration, String policyServer, Loss loss, String bundle) {

        static Wanted of(PolicyRevision revision, Loss loss, String bundle) {
            return new Wanted(
                    revision.getMetadata().getUid(),
                    revision.getMetadata().getGeneration(),
                    revision.policyServer(),
                    loss,
                    bundle);
        }
    }

    /** Drops deleted webhooks. Call before the watches start. */
    public void follow(Watched<? extends HasMetadata> webhooks) {
        webhooks.onGone(webhook -> comparisons.remove(webhook.getMetadata().getUid()));
    }

    /** @throws IllegalStateException when there are no certificates yet, or the revision's content was modified */
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
        return new DesiredWebhook(namespace, namespaceUid.get(), bundle, supportsMatchConditions.getAsBoolean());
    }

    /** Compares a live webhook with the desired webhook of its revision. */
    public Fidelity fidelity(LiveWebhook live, Optional<PolicyRevision> revision, Loss loss) {
        if (revision.isEmpty()) {
            return new Fidelity.Misrouted("path");
        }
        var bundle = caBundle.get().orElse(live.caBundle());
        return comparisons
                .compute(live.object().getMetadata().getUid(), (_, cached) -> {
                    var wanted = Wanted.of(revision.get(), loss, bundle);
                    return cached != null && isSame(cached.live(), live.object()) && wanted.equals(cached.wanted())
                            ? cached
                            : new CachedComparison(live.object(), wanted, compare(live, revision.get(), loss, bundle));
                })
                .fidelity();
    }

    @SuppressWarnings("ReferenceEquality") // objects from watches are replaced, never modified
    private static boolean isSame(HasMetadata cached, HasMetadata live) {
        return cached == live;
    }

    /** Whether only the certificates differ: they were rotated, and no user changed the webhook. */
    public boolean differsInCertificatesOnly(LiveWebhook live, PolicyRevision revision, Loss loss) {
        return compare(live, revision, loss, live.caBundle()) instanceof Fidelity.Exact;
    }

    /** Whether only the exemption of the platform is missing: an earlier release wrote the webhook. */
    public boolean lacksExemptionOnly(LiveWebhook live, PolicyRevision revision, Loss loss) {
        var before = new DesiredWebhook(namespace, Optional.empty(), live.caBundle(), false).of(revision, loss);
        return WebhookComparison.compare(before, live.object()) instanceof Fidelity.Exact;
    }

    /** Whether the webhook was written for another precedence loss than the current one. */
    public boolean isOfOtherPrecedence(LiveWebhook live, PolicyRevision revision, Loss loss) {
        var wanted = Objects.requireNonNullElse(
                render(revision, loss).getMetadata().getAnnotations().get(WebhookNames.PRECEDENCE), "");
        return !wanted.equals(live.annotation(WebhookNames.PRECEDENCE).orElse(""));
    }

    private Fidelity compare(LiveWebhook live, PolicyRevision revision, Loss loss, String bundle) {
        try {
            return WebhookComparison.compare(desired(bundle).of(revision, loss), live.object());
        } catch (FlatObject.MalformedException e) {
            return new Fidelity.Misrouted("its revision cannot be read: " + e.getMessage());
        }
    }
}
