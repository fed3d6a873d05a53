package io.portcullis.core.status;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.AncestorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Builds {@code status.ancestors}. Portcullis writes one entry, for the server that the policy names, even if that server does
 * not exist. Entries of other controllers are preserved. If they fill the list, Portcullis writes no entry.
 */
final class Ancestors {

    private static final Set<String> TYPES = Set.of(
            ConditionType.ACCEPTED.wireName(),
            ConditionType.ENFORCED.wireName(),
            ConditionType.POLICY_AFFECTED.wireName());

    private Ancestors() {}

    static List<AncestorStatus> of(Situation situation, List<Condition> conditions) {
        var ancestors = new ArrayList<>(situation.facts().subject().foreignAncestors());
        if (situation.isNamed() && ancestors.size() < AncestorStatus.MAX_ENTRIES) {
            ancestors.add(new AncestorStatus(
                    AncestorStatus.Ref.policyServer(situation.serverName()),
                    AncestorStatus.CONTROLLER_NAME,
                    conditions.stream()
                            .filter(condition -> TYPES.contains(condition.type()))
                            .map(condition -> new ConditionBuilder()
                                    .withType(condition.type())
                                    .withStatus(condition.status().wireName())
                                    .withReason(condition.reason())
                                    .withMessage(condition.message())
                                    .withObservedGeneration(condition.observedGeneration())
                                    .build())
                            .toList()));
        }
        return ancestors;
    }
}
