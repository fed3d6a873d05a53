package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Derives the Kubernetes Events of a status change. An unchanged status produces no event. Events about single steps (a
 * revision created, a webhook repaired, a rollback) come from those steps.
 */
public final class TransitionEvents {

    private TransitionEvents() {}

    /** The content of a Kubernetes Event that is not recorded yet. */
    public record EventDraft(boolean isWarning, String reason, String message) {}

    public static List<EventDraft> between(@Nullable PolicyStatus before, PolicyStatus after) {
        var events = new ArrayList<EventDraft>();
        addWebhookEvents(before, after, events);
        addConditionEvents(before, after, events);
        if (after.phase() == Phase.UPDATING
                && before != null
                && before.observedGeneration() != after.observedGeneration()) {
            events.add(new EventDraft(
                    false,
                    "PolicyUpdating",
                    "generation %d is being rolled out, generation %d is enforced meanwhile"
                            .formatted(after.observedGeneration(), after.activeGeneration())));
        }
        if (after.policyStatus() == PolicyState.ACTIVE
                && (before == null
                        || before.policyStatus() != PolicyState.ACTIVE
                        || before.activeGeneration() != after.activeGeneration())) {
            events.add(
                    new EventDraft(false, "PolicyActivated", "generation " + after.activeGeneration() + " is active"));
        }
        return events;
    }

    private static void addWebhookEvents(@Nullable PolicyStatus before, PolicyStatus after, List<EventDraft> events) {
        long from = before == null ? 0 : before.activeGeneration();
        long to = after.activeGeneration();
        if (from > 0 && to == 0) {
            var why = after.condition(ConditionType.ENFORCED)
                    .filter(enforced -> enforced.reason().equals("Overridden"))
                    .map(Condition::message)
                    .orElse("the policy is no longer enforced");
            events.add(new EventDraft(true, "WebhookRemoved", "the webhook was removed, " + why));
        } else if (from > 0 && from != to) {
            events.add(
                    new EventDraft(false, "WebhookUpdated", "the webhook moved from generation " + from + " to " + to));
        }
    }

    private static void addConditionEvents(@Nullable PolicyStatus before, PolicyStatus after, List<EventDraft> events) {
        Map<Condition.Key, Condition> previous = new HashMap<>();
        if (before != null) {
            before.conditions().forEach(condition -> previous.put(condition.key(), condition));
        }
        for (Condition condition : after.conditions()) {
            var old = previous.get(condition.key());
            boolean isChanged = old == null
                    || old.status() != condition.status()
                    || !old.reason().equals(condition.reason());
            if (isChanged) {
                addEvents(condition, after.observedGeneration(), events);
            }
        }
    }

    private static void addEvents(Condition condition, long latest, List<EventDraft> events) {
        var message = condition.message();
        if (condition.type().equals(ConditionType.ACCEPTED.wireName())
                && condition.reason().equals("Conflicted")) {
            events.add(new EventDraft(true, "PolicyConflicted", message));
        }
        if (condition.reason().equals(Reason.SIGNATURE_NOT_ACCEPTED.wireName())) {
            // Applies also to an older generation that is enforced while the latest is not ready.
            events.add(
                    new EventDraft(true, condition.reason(), "generation " + condition.generation() + ": " + message));
        }
        if (condition.generation() != latest) {
            return;
        }
        Reason.parse(condition.reason()).ifPresent(reason -> {
            switch (reason) {
                case POLICY_SCHEDULED, POLICY_INITIALIZED ->
                    events.add(new EventDraft(false, reason.wireName(), message));
                case POLICY_SERVER_NOT_FOUND, POLICY_SERVER_DELETED ->
                    events.add(new EventDraft(true, reason.wireName(), message));
                case PULL_ERROR,
                        REGISTRY_AUTH_ERROR,
                        TIMEOUT,
                        CACHE_WRITE_ERROR,
                        INTERNAL_ERROR,
                        TENANCY_VIOLATION,
                        PREPARATION_FAILED,
                        SIGNATURE_VERIFICATION_ERROR,
                        DIGEST_MISMATCH,
                        PRECOMPILATION_ERROR,
                        UNSUPPORTED_POLICY,
                        INVALID_SETTINGS,
                        INVALID_EXPRESSION ->
                    events.add(new EventDraft(true, "InitializationFailed", reason.wireName() + ": " + message));
                case LOAD_ERROR, CACHE_INTEGRITY_ERROR, BOOTSTRAP_LOAD_ERROR, OUT_OF_MEMORY ->
                    events.add(new EventDraft(
                            true,
                            "ReplicaLoadFailed",
                            "replica " + condition.replica() + ": " + reason.wireName() + ": " + message));
                case WAITING_FOR_POLICY_SERVER,
                        NO_POLICY_SERVER,
                        POLICY_SERVER_SCALED_TO_ZERO,
                        UNINSTALLED,
                        POLICY_SERVER_NOT_RUNNING,
                        CONFLICTED,
                        INITIALIZING,
                        SIGNATURE_NOT_ACCEPTED,
                        WAITING_FOR_REPLICA,
                        REPLICA_STARTING,
                        REPLICA_NOT_READY,
                        WAITING_FOR_INITIALIZATION,
                        POLICY_READY -> {}
            }
        });
    }
}
