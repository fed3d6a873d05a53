package io.portcullis.controller.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Reads objects without the record of who manages which of their fields. Nothing here asks for it, and with several writers
 * for each object it would be most of what the watches keep in memory. The API server keeps its record when an object
 * comes back without one.
 */
public final class LeanObjects {

    private LeanObjects() {}

    /** For the client that feeds the watches. */
    public static KubernetesSerialization serialization() {
        return new KubernetesSerialization(
                new ObjectMapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class), true);
    }

    @JsonIgnoreProperties("managedFields")
    private abstract static class WithoutManagedFields {}
}
