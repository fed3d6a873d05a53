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
 * What is known about a PolicyServer.
 *
 * @param selector label selector of its pods, for the scale sub-resource
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

    /** Without reports of replicas. */
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

    /** What is known about the server itself: others write what is known about its policies. */
    public PolicyServerStatus withoutPolicies() {
        var aboutPolicies = Arrays.stream(PolicyKind.values())
                .map(PolicyServerNames::policiesCondition)
                .collect(Collectors.toSet());
        return new PolicyServerStatus(
                conditions.stream()
                        .filter(condition -> !aboutPolicies.contains(condition.getType()))
                        .toList(),
                observedGeneration,
                replicas,
                readyReplicas,
                updatedReplicas,
                selector,
                leader,
                null);
    }

    /** The policies bound to this server, counted by how they fare. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Policies(int total, int active, int pending, int failed) {}
}
