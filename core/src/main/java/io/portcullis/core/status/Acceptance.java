package io.portcullis.core.status;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.TRUE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.core.status.Facts.Target;

/**
 * Derives the condition Accepted: the policy has a server, owns its name, and its content is valid. The first matching row
 * applies.
 *
 * <pre>
 * the server is not named, missing or being deleted   False    TargetNotFound
 * an older policy owns the unique name, or
 *   enforces the same precedence claim                False    Conflicted
 * the content is invalid                              False    Invalid
 * the content was validated                           True     Accepted
 * otherwise, for example while a registry is down     Unknown  Pending
 * </pre>
 */
final class Acceptance {

    private final Situation situation;
    private final String kind;

    private Acceptance(Situation situation) {
        this.situation = situation;
        this.kind = situation.facts().subject().kind();
    }

    static Condition of(Situation situation) {
        return new Acceptance(situation).decide();
    }

    private Condition decide() {
        if (!situation.isPresent()) {
            return accepted(FALSE, "TargetNotFound", targetNotFound());
        }
        if (situation.isConflicted()) {
            return accepted(
                    FALSE,
                    "Conflicted",
                    kind + " is conflicted by " + Names.list(situation.conflictsWith()) + conflictCause());
        }
        var invalidity = situation.invalidity();
        if (invalidity.isPresent()) {
            return accepted(FALSE, "Invalid", kind + " is invalid: " + invalidity.get());
        }
        return situation.isInitialized()
                ? accepted(TRUE, "Accepted", kind + " has been accepted")
                : accepted(UNKNOWN, "Pending", kind + " is waiting: " + pendingCause());
    }

    private String conflictCause() {
        return situation.isNameTaken() ? "" : ": same policy-key, merge-strategy and scope";
    }

    private String targetNotFound() {
        return switch (situation.facts().target()) {
            case Target.Unnamed _ -> kind + " names no PolicyServer";
            case Target.Missing missing -> kind + " target " + missing.name() + " was not found";
            case Target.Deleting deleting -> kind + " target " + deleting.name() + " is being deleted";
            case Target.Uninstalled _ -> kind + " has no PolicyServer: Portcullis was uninstalled";
            case Target.Present present -> throw new IllegalStateException(present.name() + " is a usable target");
        };
    }

    private String pendingCause() {
        if (situation.replicas() == 0) {
            return "PolicyServer " + situation.serverName() + " has no replicas";
        }
        var progress = situation.facts().wanted();
        return progress.initializationFailure()
                .map(failure -> failure.reason() + ": " + failure.message())
                .or(() -> progress.initialized().map(Condition::message))
                .or(() -> progress.scheduled().map(Condition::message))
                .orElse("generation " + situation.generation() + " is not initialized");
    }

    private Condition accepted(ConditionStatus status, String reason, String message) {
        boolean olderIsEnforced =
                status != TRUE && situation.active() != situation.generation() && situation.reachesServingReplica();
        return Condition.ofPolicy(
                ConditionType.ACCEPTED,
                status,
                reason,
                olderIsEnforced ? message + "; generation " + situation.active() + " remains enforced" : message,
                situation.generation());
    }
}
