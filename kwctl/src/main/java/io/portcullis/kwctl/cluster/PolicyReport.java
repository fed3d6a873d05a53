package io.portcullis.kwctl.cluster;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.api.status.RolloutProgress;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Everything that was found about one policy.
 *
 * @param servers memory and quarantined modules of the replicas that serve the policy
 */
record PolicyReport(
        Policy policy,
        Reading<List<RevisionRow>> revisions,
        Reading<Optional<RegisteredWebhook>> webhook,
        Reading<List<ReplicaReport>> servers,
        Instant now) {

    /** Without reports of the replicas of its PolicyServer. */
    PolicyReport(
            Policy policy,
            Reading<List<RevisionRow>> revisions,
            Reading<Optional<RegisteredWebhook>> webhook,
            Instant now) {
        this(policy, revisions, webhook, new Reading.Seen<>(List.of()), now);
    }

    /** Conditions that speak of the policy as a whole and that people go by. */
    static final List<ConditionType> HEADLINES = List.of(ACCEPTED, ENFORCED, POLICY_AFFECTED);

    private static final PolicyStatus NOTHING_KNOWN = new PolicyStatus(
            PolicyState.UNSCHEDULED, Phase.PENDING, PolicyStatus.MODE_UNKNOWN, 0, 0, null, List.of(), List.of());

    PolicyStatus status() {
        return status(policy);
    }

    static PolicyStatus status(Policy policy) {
        return Objects.requireNonNullElse(policy.getStatus(), NOTHING_KNOWN);
    }

    List<Condition> headlines() {
        return HEADLINES.stream()
                .flatMap(type -> status().condition(type).stream())
                .toList();
    }

    long wanted() {
        return Diagnosis.generation(policy);
    }

    /** The wanted generation and, if it is another, the one in force. */
    List<RolloutProgress> generations() {
        var active = status().activeGeneration();
        var wanted = RolloutProgress.of(wanted(), status().conditions());
        return active == 0 || active == wanted()
                ? List.of(wanted)
                : List.of(wanted, RolloutProgress.of(active, status().conditions()));
    }

    /** Every replica that reported on one of the generations. */
    SortedSet<Integer> replicas() {
        var replicas = new TreeSet<Integer>();
        generations().forEach(progress -> replicas.addAll(progress.ready().keySet()));
        return replicas;
    }

    /** The mode of the spec, be it readable otherwise or not. */
    static String wantedMode(Policy policy) {
        return policy.getSpec().path("mode").asText("protect");
    }
}
