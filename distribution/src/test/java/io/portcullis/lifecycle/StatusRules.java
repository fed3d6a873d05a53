package io.portcullis.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What holds in every status of a policy that anybody can see, whatever goes on: the rules that need no facts beside it. */
final class StatusRules {

    private StatusRules() {}

    /**
     * The rules that a status breaks.
     *
     * @param replicas how many its server has
     */
    static List<String> broken(PolicyStatus status, int replicas) {
        var broken = new ArrayList<String>();
        boolean active = status.policyStatus() == PolicyState.ACTIVE;
        boolean three = Stream.of(
                        ConditionType.POLICY_ACTIVE,
                        ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE,
                        ConditionType.POLICY_UNIQUELY_REACHABLE)
                .allMatch(type -> isTrue(status, type));
        boolean enforced = isTrue(status, ConditionType.ENFORCED);
        check(broken, "policyStatus active ⇒ phase Active", !active || status.phase() == Phase.ACTIVE);
        check(
                broken,
                "phase Active ⇒ the webhook leads to the generation that was observed",
                status.phase() != Phase.ACTIVE || status.activeGeneration() == status.observedGeneration());
        check(
                broken,
                "phase Updating ⇒ the webhook leads to another generation than the latest",
                status.phase() != Phase.UPDATING
                        || (status.activeGeneration() > 0 && status.activeGeneration() != status.observedGeneration()));
        check(broken, "active ⇔ all three legacy conditions", active == three);
        check(broken, "Enforced ⇒ active", !enforced || active);
        check(broken, "not Accepted ⇒ not active", isTrue(status, ConditionType.ACCEPTED) || !active);
        check(
                broken,
                "no webhook ⇒ neither Enforced nor PolicyActive",
                status.activeGeneration() > 0 || (!enforced && !isTrue(status, ConditionType.POLICY_ACTIVE)));
        check(
                broken,
                "active ⇒ the webhook leads to the generation that was observed",
                !active || status.activeGeneration() == status.observedGeneration());
        check(
                broken,
                "active ⇒ only the latest generation is listed, and every replica has it",
                !active
                        || (status.conditions().stream()
                                        .allMatch(condition -> condition.generation() == Condition.WHOLE_POLICY
                                                || condition.generation() == status.observedGeneration())
                                && readyReplicas(status) == replicas));
        check(
                broken,
                "one entry for each type, generation and replica",
                status.conditions().stream().map(Condition::key).distinct().count()
                        == status.conditions().size());
        return broken;
    }

    private static long readyReplicas(PolicyStatus status) {
        return status.conditions().stream()
                .filter(condition -> condition.type().equals(ConditionType.READY.wireName()))
                .filter(condition -> condition.generation() == status.observedGeneration() && condition.isTrue())
                .count();
    }

    private static boolean isTrue(PolicyStatus status, ConditionType type) {
        return status.condition(type).filter(Condition::isTrue).isPresent();
    }

    private static void check(List<String> broken, String rule, boolean holds) {
        if (!holds) {
            broken.add(rule);
        }
    }
}
