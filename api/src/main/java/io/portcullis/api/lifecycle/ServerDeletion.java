package io.portcullis.api.lifecycle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether a PolicyServer that is being deleted may go (E9): not while a webhook still sends requests to it, nor while a
 * straggling API server might. Its policies stay and become {@code scheduled}.
 */
public sealed interface ServerDeletion {

    int NAMES_SHOWN = 20;

    /** PolicyWebhooksCleanedUp is False with this text. */
    record Waiting(String message, Optional<Instant> recheckAt) implements ServerDeletion {}

    /** PolicyWebhooksCleanedUp is True; the finalizer can be released. */
    record Done() implements ServerDeletion {}

    /**
     * Decides.
     *
     * @param policiesWithWebhook bound policies, by spec or by the annotation of their webhook, that still have one of
     *     either kind
     * @param latestDrain the latest disable-after stamp among the server's enabled revisions
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
