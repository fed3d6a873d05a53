package io.portcullis.api.status;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.status.Facts.Fidelity;
import io.portcullis.api.status.Facts.Probe;
import io.portcullis.api.status.Facts.Registration;
import io.portcullis.api.status.Facts.Target;
import java.util.Optional;

/**
 * The facts in the terms that the rules are written in. Every definition stands here once.
 *
 * @param isNamed the policy names a server
 * @param isPresent that server exists and is not being deleted
 * @param replicas how many it should have
 * @param isSettled all of them run its latest rollout and are ready
 * @param generation the policy's latest generation
 * @param active the generation that the webhook points at; 0: there is none
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

    /** An older policy owns the name. */
    boolean isConflicted() {
        return !facts.precedence().conflictsWith().isEmpty();
    }

    boolean isInitialized() {
        return facts.wanted().isInitialized();
    }

    int loaded() {
        return facts.wanted().loadedBy(replicas);
    }

    /** The latest generation could not be prepared, or not be loaded by some replica. */
    Optional<Condition> failure() {
        return facts.wanted().initializationFailure().or(() -> facts.wanted().loadFailure(replicas));
    }

    /** What is wrong with the policy itself, as opposed to the world around it. */
    Optional<String> invalidity() {
        return facts.wanted().defect().map(Condition::message).or(this::obstacle);
    }

    /** Content is good, and yet it cannot be put into effect. */
    Optional<String> obstacle() {
        return facts.registration()
                .refusal()
                .or(() -> facts.subject().foreignAncestors().size() >= AncestorStatus.MAX_ENTRIES
                        ? Optional.of("ancestor list is full")
                        : Optional.empty());
    }

    /** PolicyActive: a webhook is registered. */
    boolean isRegistered() {
        return active > 0;
    }

    /** Requests arrive at a replica of which nothing is known that says it would not judge them. */
    boolean reachesSomebody() {
        return facts.registration() instanceof Registration.Registered webhook
                && !(webhook.fidelity() instanceof Fidelity.Astray)
                && facts.endpoints().stream().anyMatch(endpoint -> switch (endpoint.probe()) {
                    case Probe.Unasked _ -> true;
                    case Probe.Failed _ -> false;
                    case Probe.Answered answer -> answer.generations().contains(active);
                });
    }

    /** PolicyServerConfigurationUpToDate: all replicas have loaded the latest generation. */
    boolean isUpToDate() {
        return isPresent && isInitialized() && replicas >= 1 && loaded() == replicas;
    }

    /** All replicas have the latest generation, and nothing forbids to register it. */
    boolean isReadyForWebhook() {
        return isUpToDate() && !isConflicted() && obstacle().isEmpty();
    }

    /** PolicyUniquelyReachable: nothing but the latest generation on the latest rollout can be reached. */
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

    Phase phase() {
        return switch (state()) {
            case UNSCHEDULED, SCHEDULED -> Phase.PENDING;
            case ACTIVE -> Phase.ACTIVE;
            case PENDING -> {
                if (failure().isPresent() || isConflicted() || obstacle().isPresent()) {
                    yield Phase.FAILED;
                }
                yield isRegistered() ? Phase.UPDATING : Phase.PENDING;
            }
        };
    }

    boolean isActive() {
        return state() == PolicyState.ACTIVE;
    }

    /** The server by name, for messages. */
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
