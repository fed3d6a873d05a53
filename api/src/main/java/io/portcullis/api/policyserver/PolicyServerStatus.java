package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a PolicyServer.
 *
 * @param selector label selector of its pods, for the scale sub-resource
 * @param leader name of the pod that prepares policies
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
        @Nullable Policies policies) {

    public PolicyServerStatus {
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /** The policies bound to this server, counted by how they fare. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Policies(int total, int active, int pending, int failed) {}
}
