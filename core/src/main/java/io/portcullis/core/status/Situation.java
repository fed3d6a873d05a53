package io.portcullis.core.status;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Target;
import java.util.List;
import java.util.Optional;

/**
 * The predicates that the status rules use, derived from {@link Facts}. Each predicate is defined only here.
 *
 * @param isNamed whether the policy names a server
 * @param isPresent whether that server exists and is not being deleted
 * @param replicas number of desired replicas of the server
 * @param isSettled whether all replicas run the latest rollout and are ready
 * @param generation the policy's latest generation
 * @param active the generation that the webhook points at; 0: there is no webhook
 */
record Situation(
        Facts facts,
        boolean isNamed,
        boolean isPresent,
        int replicas,
        boolean isSettled,
        long generation,
        long active) {

    static Situation of(Facts facts) {
        long active = switch (facts.registration()) {
            case Registration.Absent _ -> 0;
            case Registration.Registered webhook -> webhook.progress().generation();
        };
        long generation = facts.subject().generation();
        return switch (facts.target()) {
            case Target.Unnamed _ -> new Situation(facts, false, false, 0, false, generation, active);
            case Target.Missing _, Target.Deleting _, Target.Uninstalled _ ->
                new Situation(facts, true, false, 0, false, generation, active);
            case Target.Present server ->
                new Situation(facts, true, true, server.replicas(), server.settled(), generation, active);
        };
    }

    /** Returns whether an older policy owns the unique name, or the precedence claim, of this policy. */
    boolean isConflicted() {
        return !conflictsWith().isEmpty();
    }

    /** Returns the older policies that own the unique name, or else the precedence claim, of this policy. */
    List<String> conflictsWith() {
        return isNameTaken() || !(facts.precedence().overriding() instanceof Overriding.Conflicting claim)
                ? facts.precedence().conflictsWith()
                : claim.by();
    }

    /** Returns whether an older policy owns the unique name. Such a policy is not scheduled. */
    boolean isNameTaken() {
        return !facts.precedence().conflictsWith().isEmpty();
    }

    boolean isInitialized() {
        return facts.wanted().isInitialized();
    }

    int loaded() {
        return facts.wanted().loadedBy(replicas);
    }

    /** Returns the failure to initialize the latest generation, or to load it on a replica. */
    Optional<Condition> failure() {
        return facts.wanted().initializationFailure().or(() -> facts.wanted().loadFailure(replicas));
    }

    /** Returns the defect of the policy itself. Failures of the environment do not count. */
    Optional<String> invalidity() {
        return facts.wanted().defect().map(Condition::message).or(this::obstacle);
    }

    /** Returns why valid content cannot be enforced: the API server rejects the webhook, or the ancestor list is full. */
    Optional<String> obstacle() {
        return facts.registration()
                .refusal()
                .or(() -> facts.subject().foreignAncestors().size() >= AncestorStatus.MAX_ENTRIES
                        ? Optional.of("ancestor list is full")
                        : Optional.empty());
    }

    /** Value of PolicyActive: a webhook is registered. */
    boolean isRegistered() {
        return active > 0;
    }

    /** Returns whether requests arrive at a replica that serves the active generation or has not been probed yet. */
    boolean reachesServingReplica() {
        return facts.registration() instanceof Registration.Registered webhook
                && !(webhook.fidelity() instanceof Fidelity.Misrouted)
                && facts.endpoints().stream().anyMatch(endpoint -> switch (endpoint.probe()) {
                    case Probe.NotProbed _ -> true;
                    case Probe.Failed _ -> false;
                    case Probe.Answered answer -> answer.generations().contains(active);
                });
    }

    /** Value of PolicyServerConfigurationUpToDate: all replicas have loaded the latest generation. */
    boolean isUpToDate() {
        return isPresent && isInitialized() && replicas >= 1 && loaded() == replicas;
    }

    /** Returns whether all replicas have loaded the latest generation and its webhook may be registered. */
    boolean isReadyForWebhook() {
        return isUpToDate() && !isConflicted() && obstacle().isEmpty();
    }

    /** Value of PolicyUniquelyReachable: requests can reach only the latest generation on the latest rollout. */
    boolean isUniquelyReachable() {
        return isPresent && !isConflicted() && obstacle().isEmpty() && active == generation && isSettled;
    }

    PolicyState state() {
        if (!isNamed) {
            return PolicyState.UNSCHEDULED;
        }
        if (!isPresent) {
            return PolicyState.SCHEDULED;
        }
        return isRegistered() && isUpToDate() && isUniquelyReachable() ? PolicyState.ACTIVE : PolicyState.PENDING;
    }

    /**
     * Returns the phase. {@code Updating} is only about a change of the policy: a replica that restarts, is added or is lost
     * while the latest generation is in the webhook is reported by {@code policyStatus} and the conditions.
     */
    Phase phase() {
        return switch (state()) {
            case UNSCHEDULED, SCHEDULED -> Phase.PENDING;
            case ACTIVE -> Phase.ACTIVE;
            case PENDING -> {
                if (failure().isPresent() || isConflicted() || obstacle().isPresent()) {
                    yield Phase.FAILED;
                }
                if (isRegistered() && active != generation) {
                    yield Phase.UPDATING;
                }
                yield isRegistered() && !facts.endpoints().isEmpty() ? Phase.ACTIVE : Phase.PENDING;
            }
        };
    }

    boolean isActive() {
        return state() == PolicyState.ACTIVE;
    }

    /** Returns the name of the server, for messages. */
    String serverName() {
        return switch (facts.target()) {
            case Target.Unnamed _ -> "";
            case Target.Missing missing -> missing.name();
            case Target.Deleting deleting -> deleting.name();
            case Target.Uninstalled uninstalled -> uninstalled.name();
            case Target.Present present -> present.name();
        };
    }
}
