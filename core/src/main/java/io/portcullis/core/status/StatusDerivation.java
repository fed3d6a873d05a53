package io.portcullis.core.status;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionType.POLICY_ACTIVE;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;
import static io.portcullis.api.condition.ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE;
import static io.portcullis.api.condition.ConditionType.POLICY_UNIQUELY_REACHABLE;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Derives the status of a policy from facts. No other class sets {@code phase}, {@code policyStatus} or conditions of a
 * policy. The function is pure: equal facts give an equal status, independent of history. {@link Situation} defines the
 * predicates of the rules. {@link Acceptance} and {@link Enforcement} derive the conditions Accepted and Enforced.
 */
public final class StatusDerivation {

    private final Facts facts;
    private final Situation situation;

    private StatusDerivation(Facts facts) {
        this.facts = facts;
        this.situation = Situation.of(facts);
    }

    /** Derives the status without transition times; {@link TransitionTimes} adds them. */
    public static PolicyStatus derive(Facts facts) {
        return new StatusDerivation(facts).status();
    }

    private PolicyStatus status() {
        var conditions = new ArrayList<Condition>();
        conditions.add(policyActive());
        conditions.add(policyServerConfigurationUpToDate());
        conditions.add(policyUniquelyReachable());
        var accepted = Acceptance.of(situation);
        conditions.add(accepted);
        conditions.add(Enforcement.of(situation));
        if (accepted.isTrue()) {
            policyAffected().ifPresent(conditions::add);
        }
        var ancestors = Ancestors.of(situation, conditions);
        conditions.addAll(lifecycle());
        return new PolicyStatus(
                situation.state(),
                situation.phase(),
                switch (facts.registration()) {
                    case Registration.Absent _ -> PolicyStatus.MODE_UNKNOWN;
                    case Registration.Registered webhook -> webhook.mode().wireName();
                },
                situation.generation(),
                situation.active(),
                switch (facts.registration()) {
                    case Registration.Absent _ -> null;
                    case Registration.Registered webhook -> webhook.policyServer();
                },
                conditions,
                ancestors,
                facts.revisions());
    }

    private Condition policyActive() {
        if (situation.isRegistered()) {
            return condition(POLICY_ACTIVE, true, "PolicyActive", "webhook points at generation " + situation.active());
        }
        var reason = facts.target().unusable().map(Reason::wireName).orElse("NoWebhook");
        return condition(POLICY_ACTIVE, false, reason, "no webhook is registered");
    }

    private Condition policyServerConfigurationUpToDate() {
        var type = POLICY_SERVER_CONFIGURATION_UP_TO_DATE;
        var loaded = "generation %d loaded by %d/%d replicas"
                .formatted(situation.generation(), situation.loaded(), situation.replicas());
        if (situation.isUpToDate()) {
            return condition(type, true, "AllReplicasLoaded", loaded);
        }
        var unusable = facts.target().unusable();
        if (unusable.isPresent()) {
            return condition(type, false, unusable.get().wireName(), serverText());
        }
        var failure = situation.failure();
        if (failure.isPresent()) {
            return condition(type, false, "LoadFailed", failure.get().message());
        }
        return situation.isInitialized()
                ? condition(type, false, "ReplicasLoading", loaded)
                : condition(
                        type,
                        false,
                        "WaitingForInitialization",
                        "generation " + situation.generation() + " is not initialized");
    }

    private Condition policyUniquelyReachable() {
        var type = POLICY_UNIQUELY_REACHABLE;
        if (situation.isUniquelyReachable()) {
            return condition(
                    type,
                    true,
                    "LatestGenerationIsUniquelyReachable",
                    "only generation " + situation.generation() + " can be reached");
        }
        if (!situation.isRegistered()) {
            return condition(type, false, "NoWebhook", "no webhook is registered");
        }
        if (!situation.isPresent()) {
            return condition(
                    type, false, facts.target().unusable().map(Reason::wireName).orElse("NoWebhook"), serverText());
        }
        if (situation.active() != situation.generation()) {
            return condition(
                    type,
                    false,
                    "PreviousGenerationServed",
                    "webhook points at generation %d, the latest is %d"
                            .formatted(situation.active(), situation.generation()));
        }
        return situation.isSettled()
                ? condition(type, false, "NotAccepted", "see condition Accepted")
                : condition(
                        type, false, "PolicyServerRollout", "not all replicas run the latest rollout and are ready");
    }

    private Optional<Condition> policyAffected() {
        return facts.precedence()
                .affectedBy()
                .map(others -> others.isEmpty()
                        ? condition(
                                POLICY_AFFECTED,
                                false,
                                "PolicyNotAffected",
                                facts.subject().kind() + " is not affected")
                        : condition(
                                POLICY_AFFECTED,
                                true,
                                "PolicyAffected",
                                facts.subject().kind() + " is affected by " + Names.list(others)));
    }

    /**
     * Returns the reported conditions of the served and the latest generation, so that users need no access to revisions.
     * Reports of replicas beyond the desired number are stale and left out.
     */
    private List<Condition> lifecycle() {
        var conditions = new ArrayList<Condition>();
        if (facts.registration() instanceof Registration.Registered webhook
                && situation.active() != situation.generation()) {
            var served = webhook.progress();
            served.scheduled().ifPresent(conditions::add);
            served.initialized().ifPresent(conditions::add);
            served.verified().ifPresent(conditions::add);
            conditions.addAll(
                    webhook.policyServer().equals(situation.serverName()) && situation.isPresent()
                            ? served.ready().headMap(situation.replicas()).values()
                            : served.ready().values());
        }
        conditions.add(scheduled());
        facts.wanted().initialized().ifPresent(conditions::add);
        facts.wanted().verified().ifPresent(conditions::add);
        conditions.addAll(
                situation.isPresent()
                        ? facts.wanted().ready().headMap(situation.replicas()).values()
                        : facts.wanted().ready().values());
        return conditions;
    }

    /** Returns the reported Scheduled condition. It is False for a policy without usable server or with a name conflict. */
    private Condition scheduled() {
        var generation = situation.generation();
        var unusable = facts.target().unusable();
        if (unusable.isPresent()) {
            return Condition.ofGeneration(SCHEDULED, generation, FALSE, unusable.get(), serverText());
        }
        if (situation.isNameTaken()) {
            return Condition.ofGeneration(
                    SCHEDULED,
                    generation,
                    FALSE,
                    Reason.CONFLICTED,
                    "another policy owns the name: "
                            + Names.list(facts.precedence().conflictsWith()));
        }
        return facts.wanted()
                .scheduled()
                .orElseGet(() -> Condition.ofGeneration(
                        SCHEDULED,
                        generation,
                        FALSE,
                        Reason.WAITING_FOR_POLICY_SERVER,
                        Messages.WAITING_FOR_POLICY_SERVER));
    }

    private String serverText() {
        return switch (facts.target()) {
            case Target.Unnamed _ -> "The policy names no PolicyServer.";
            case Target.Missing missing -> "PolicyServer " + missing.name() + " does not exist.";
            case Target.Deleting deleting -> "PolicyServer " + deleting.name() + " is being deleted.";
            case Target.Uninstalled _ -> "Portcullis was uninstalled; nothing enforces the policy.";
            case Target.Present server -> "PolicyServer " + server.name() + " has no replicas.";
        };
    }

    private Condition condition(ConditionType type, boolean holds, String reason, String message) {
        return Condition.ofPolicy(type, ConditionStatus.of(holds), reason, message, situation.generation());
    }
}
