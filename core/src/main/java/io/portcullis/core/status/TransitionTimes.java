package io.portcullis.core.status;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.PolicyStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds transition times to a derived status. Equal facts give an equal status again, which needs no write. */
public final class TransitionTimes {

    private TransitionTimes() {}

    public static PolicyStatus stamp(PolicyStatus derived, @Nullable PolicyStatus previous, Instant now) {
        var conditions =
                Transitions.stamp(derived.conditions(), previous == null ? List.of() : previous.conditions(), now);
        Map<String, @Nullable String> times = new HashMap<>();
        conditions.stream()
                .filter(condition -> condition.generation() == Condition.WHOLE_POLICY)
                .forEach(condition -> times.put(condition.type(), condition.lastTransitionTime()));
        return new PolicyStatus(
                derived.policyStatus(),
                derived.phase(),
                derived.mode(),
                derived.observedGeneration(),
                derived.activeGeneration(),
                derived.activePolicyServer(),
                conditions,
                derived.ancestors().stream()
                        .map(ancestor -> ancestor.isOurs() ? stamp(ancestor, times) : ancestor)
                        .toList(),
                derived.revisions());
    }

    private static AncestorStatus stamp(AncestorStatus ancestor, Map<String, @Nullable String> times) {
        return new AncestorStatus(
                ancestor.ancestorRef(),
                ancestor.controllerName(),
                ancestor.conditions().stream()
                        .map(condition -> new ConditionBuilder(condition)
                                .withLastTransitionTime(times.get(condition.getType()))
                                .build())
                        .toList());
    }
}
