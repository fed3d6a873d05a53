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
import io.portcullis.core.status.RolloutProgress;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The collected state of one policy in the cluster.
 *
 * @param servers memory and quarantined modules of the replicas that serve the policy
 */
record PolicyReport(
        Policy policy,
        Reading<List<RevisionRow>> revisions,
        Reading<Optional<RegisteredWebhook>> webhook,
        Reading<List<ReplicaReport>> servers,
        Instant now) {

    /** Creates a report without data from the replicas of the PolicyServer. */
    PolicyReport(
            Policy policy,
            Reading<List<RevisionRow>> revisions,
            Reading<Optional<RegisteredWebhook>> webhook,
            Instant now) {
        this(policy, revisions, webhook, new Reading.Seen<>(List.of()), now);
    }

    /** The conditions on the whole policy that matter most to users. */
    static final List<ConditionType> MAIN_CONDITIONS = List.of(ACCEPTED, ENFORCED, POLICY_AFFECTED);

    private static final PolicyStatus EMPTY_STATUS = new PolicyStatus(
            PolicyState.UNSCHEDULED,
            Phase.PENDING,
            PolicyStatus.MODE_UNKNOWN,
            0,
            0,
            null,
            List.of(),
            List.of(),
            List.of());

    PolicyStatus status() {
        return status(policy);
    }

    static PolicyStatus status(Policy policy) {
        return Objects.requireNonNullElse(policy.getStatus(), EMPTY_STATUS);
    }

    List<Condition> headlines() {
        return MAIN_CONDITIONS.stream()
                .flatMap(type -> status().condition(type).stream())
                .toList();
    }

    long wanted() {
        return Diagnosis.generation(policy);
    }

    /** Returns the progress of the desired generation and, if it differs, of the active generation. */
    List<RolloutProgress> generations() {
        var active = status().activeGeneration();
        var wanted = RolloutProgress.of(wanted(), status().conditions());
        return active == 0 || active == wanted()
                ? List.of(wanted)
                : List.of(wanted, RolloutProgress.of(active, status().conditions()));
    }

    /** Returns all replicas that reported on one of the generations. */
    SortedSet<Integer> replicas() {
        var replicas = new TreeSet<Integer>();
        generations().forEach(progress -> replicas.addAll(progress.ready().keySet()));
        return replicas;
    }

    /** Returns the mode in the spec, even if the rest of the spec is invalid. */
    static String specMode(Policy policy) {
        return policy.getSpec().path("mode").asText("protect");
    }
}
