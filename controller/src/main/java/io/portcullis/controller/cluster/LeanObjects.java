package io.portcullis.controller.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import java.util.List;

/**
 * Deserializes objects without {@code managedFields}. The controller does not read them, and with several writers per
 * object they would use most of the watch caches' memory. The API server keeps its record when an object is written
 * without one.
 */
public final class LeanObjects {

    private static final List<Class<? extends KubernetesResource>> OUR_KINDS = List.of(
            ClusterAdmissionPolicy.class,
            AdmissionPolicy.class,
            ClusterAdmissionPolicyGroup.class,
            AdmissionPolicyGroup.class,
            PolicyRevision.class,
            PolicyServer.class);

    private LeanObjects() {}

    /** The serialization of the client that feeds the watches. */
    public static KubernetesSerialization serialization() {
        var serialization = new KubernetesSerialization(
                new ObjectMapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class), true);
        // Otherwise watches parse each object twice: as a generic object, then as its type.
        OUR_KINDS.forEach(serialization::registerKubernetesResource);
        return serialization;
    }

    @JsonIgnoreProperties("managedFields")
    private abstract static class WithoutManagedFields {}
}
