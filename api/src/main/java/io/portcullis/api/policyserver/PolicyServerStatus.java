package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import io.portcullis.api.policy.PolicyKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Status of a PolicyServer.
 *
 * @param selector label selector of its pods, for the scale subresource
 * @param leader name of the pod that prepares policies
 * @param replicaReports memory and quarantined modules of each ready replica
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicyServerStatus(
        List<Condition> conditions,
        long observedGeneration,
        int replicas,
        int readyReplicas,
        int updatedReplicas,
        @Nullable String selector,
        @Nullable String leader,
        @Nullable Policies policies,
        @Nullable List<ReplicaReport> replicaReports) {

    public PolicyServerStatus {
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /** Creates a status without reports of replicas. */
    public PolicyServerStatus(
            List<Condition> conditions,
            long observedGeneration,
            int replicas,
            int readyReplicas,
            int updatedReplicas,
            @Nullable String selector,
            @Nullable String leader,
            @Nullable Policies policies) {
        this(
                conditions,
                observedGeneration,
                replicas,
                readyReplicas,
                updatedReplicas,
                selector,
                leader,
                policies,
                null);
    }

    /** Returns the status of the server itself. Another field manager writes the part about its policies. */
    public PolicyServerStatus withoutPolicies() {
        var policyConditions = Arrays.stream(PolicyKind.values())
                .map(PolicyServerNames::policiesCondition)
                .collect(Collectors.toSet());
        return new PolicyServerStatus(
                conditions.stream()
                        .filter(condition -> !policyConditions.contains(condition.getType()))
                        .toList(),
                observedGeneration,
                replicas,
                readyReplicas,
                updatedReplicas,
                selector,
                leader,
                null);
    }

    /** Numbers of policies bound to this server, by state. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Policies(int total, int active, int pending, int failed) {}
}
