package io.portcullis.core.lifecycle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether the finalizer of a PolicyServer that is being deleted may be removed (E9). The server must stay while a
 * webhook points at it, and until the drain time is over, because API servers may still send requests. The policies of the
 * server stay and become {@code scheduled}.
 */
public sealed interface ServerDeletion {

    int NAMES_SHOWN = 20;

    /** The server must stay. PolicyWebhooksCleanedUp becomes False with this message. */
    record Waiting(String message, Optional<Instant> recheckAt) implements ServerDeletion {}

    /** The finalizer can be removed. PolicyWebhooksCleanedUp becomes True. */
    record Done() implements ServerDeletion {}

    /**
     * Decides for one server.
     *
     * @param policiesWithWebhook policies that still have a webhook and are bound to the server, by their spec or by the
     *     annotation of the webhook
     * @param latestDrain the latest disable-after time of the server's enabled revisions
     */
    static ServerDeletion decide(List<String> policiesWithWebhook, Optional<Instant> latestDrain, Instant now) {
        if (!policiesWithWebhook.isEmpty()) {
            var names = policiesWithWebhook.stream().sorted().limit(NAMES_SHOWN).toList();
            var more = policiesWithWebhook.size() > NAMES_SHOWN
                    ? " and " + (policiesWithWebhook.size() - NAMES_SHOWN) + " more"
                    : "";
            return new Waiting(
                    "waiting for the webhooks of these policies to be removed: " + String.join(", ", names) + more,
                    Optional.empty());
        }
        return latestDrain
                .filter(now::isBefore)
                .<ServerDeletion>map(until ->
                        new Waiting("webhooks are removed; answering late requests until " + until, Optional.of(until)))
                .orElseGet(Done::new);
    }
}
