package io.portcullis.kwctl.cluster;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.kwctl.cli.CommandException;
import java.util.Locale;
import java.util.regex.Pattern;

/** The goal of {@code kwctl wait}. Only a status of the policy's latest generation counts. */
sealed interface WaitGoal {

    /** The policy's status is {@code active}. */
    record Active() implements WaitGoal {}

    /** A condition has the given status. */
    record ConditionHolds(String type, ConditionStatus status) implements WaitGoal {}

    Pattern CONDITION = Pattern.compile("condition=([^=]+)(?:=([^=]+))?");

    static WaitGoal enforced() {
        return new ConditionHolds(ConditionType.ENFORCED.wireName(), ConditionStatus.TRUE);
    }

    /** @param text {@code enforced}, {@code active}, {@code accepted} or {@code condition=TYPE[=STATUS]} */
    static WaitGoal parse(String text) {
        return switch (text) {
            case "enforced" -> enforced();
            case "active" -> new Active();
            case "accepted" -> new ConditionHolds(ConditionType.ACCEPTED.wireName(), ConditionStatus.TRUE);
            default -> condition(text);
        };
    }

    private static WaitGoal condition(String text) {
        var parts = CONDITION.matcher(text);
        if (!parts.matches()) {
            throw new CommandException("cannot wait for \"" + text
                    + "\"; there are enforced, active, accepted and condition=TYPE[=STATUS]");
        }
        var status = parts.group(2);
        return new ConditionHolds(parts.group(1), status == null ? ConditionStatus.TRUE : status(status));
    }

    private static ConditionStatus status(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "true" -> ConditionStatus.TRUE;
            case "false" -> ConditionStatus.FALSE;
            case "unknown" -> ConditionStatus.UNKNOWN;
            default -> throw new CommandException("a condition is True, False or Unknown, never \"" + word + "\"");
        };
    }

    /** @param failFast whether a failed phase ends the wait */
    default StatusVerdict judge(Policy policy, boolean failFast) {
        var generation = Diagnosis.generation(policy);
        var status = policy.getStatus();
        if (status == null || Diagnosis.isStale(status, generation)) {
            return new StatusVerdict.Waiting("generation " + generation + " has not been looked at yet");
        }
        if (isReached(status, generation)) {
            return new StatusVerdict.Reached();
        }
        if (failFast && status.phase() == Phase.FAILED) {
            return new StatusVerdict.Failed(cause(policy));
        }
        return new StatusVerdict.Waiting(
                "generation " + generation + ": phase " + status.phase().wireName() + ", "
                        + PlainText.of(Diagnosis.of(policy).why()));
    }

    private boolean isReached(PolicyStatus status, long generation) {
        return switch (this) {
            case Active() -> status.policyStatus() == PolicyState.ACTIVE;
            case ConditionHolds(var type, var wanted) -> {
                var conditions = status.conditions().stream()
                        .filter(condition -> condition.type().equals(type) && appliesTo(condition, generation))
                        .toList();
                yield !conditions.isEmpty() && conditions.stream().allMatch(condition -> condition.status() == wanted);
            }
        };
    }

    /** Returns whether the condition is about the current policy as a whole, or about its latest generation. */
    private static boolean appliesTo(Condition condition, long generation) {
        if (condition.generation() != Condition.WHOLE_POLICY) {
            return condition.generation() == generation;
        }
        var observed = condition.observedGeneration();
        return observed == null || observed == generation;
    }

    private static String cause(Policy policy) {
        var diagnosis = Diagnosis.of(policy);
        return PlainText.of(diagnosis.isEnforced() ? "its phase is Failed" : diagnosis.why());
    }
}
