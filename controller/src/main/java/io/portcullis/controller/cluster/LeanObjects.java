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
 * Reads objects without the record of who manages which of their fields. Nothing here asks for it, and with several writers
 * for each object it would be most of what the watches keep in memory. The API server keeps its record when an object
 * comes back without one.
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

    /** For the client that feeds the watches. */
    public static KubernetesSerialization serialization() {
        var serialization = new KubernetesSerialization(
                new ObjectMapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class), true);
        // Else watches read each object twice: as any object, then as what it is.
        OUR_KINDS.forEach(serialization::registerKubernetesResource);
        return serialization;
    }

    @JsonIgnoreProperties("managedFields")
    private abstract static class WithoutManagedFields {}
}
