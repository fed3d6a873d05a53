package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Policy;
import java.util.Comparator;
import java.util.List;

/** Renders all policies, one line each. */
final class PolicyTable {

    private static final List<String> HEADING = List.of(
            "KIND", "NAMESPACE", "NAME", "STATUS", "PHASE", "MODE", "GENERATION", "IN FORCE", "ACCEPTED", "ENFORCED");

    private PolicyTable() {}

    static String text(List<Policy> policies) {
        return policies.isEmpty()
                ? "There are no policies.\n"
                : Columns.of(
                        HEADING, sorted(policies).stream().map(PolicyTable::row).toList());
    }

    static ArrayNode document(List<Policy> policies) {
        var list = JsonNodeFactory.instance.arrayNode();
        sorted(policies).forEach(policy -> list.add(StatusDocument.summary(policy)));
        return list;
    }

    private static List<Policy> sorted(List<Policy> policies) {
        return policies.stream().sorted(Comparator.comparing(Policy::ref)).toList();
    }

    private static List<String> row(Policy policy) {
        var status = PolicyReport.status(policy);
        return List.of(
                policy.ref().kind().wireName(),
                policy.ref().namespace(),
                policy.ref().name(),
                policy.getStatus() == null ? "" : status.policyStatus().wireName(),
                policy.getStatus() == null ? "" : status.phase().wireName(),
                status.mode(),
                Long.toString(Diagnosis.generation(policy)),
                status.activeGeneration() == 0 ? "" : Long.toString(status.activeGeneration()),
                condition(policy, ConditionType.ACCEPTED),
                condition(policy, ConditionType.ENFORCED));
    }

    /** Renders a condition: {@code True}, or else the reason, which is more useful than {@code False}. */
    static String condition(Policy policy, ConditionType type) {
        var status = PolicyReport.status(policy);
        if (Diagnosis.isStale(status, Diagnosis.generation(policy))) {
            return "outdated";
        }
        return status.condition(type)
                .map(condition -> condition.isTrue() ? condition.status().wireName() : reason(condition))
                .orElse("");
    }

    private static String reason(Condition condition) {
        return condition.status().wireName() + " (" + condition.reason() + ")";
    }
}
