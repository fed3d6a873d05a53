package io.portcullis.controller.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeanObjectsTest {

    private static final String METADATA = """
            "metadata": {"name": "x", "labels": {"a": "b"}, "resourceVersion": "7", "managedFields": [
              {"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
               "fieldsV1": {"f:status": {"f:conditions": {"k:{\\"type\\":\\"Ready\\"}": {".": {}}}}}}]}""";

    @Test
    void dropsManagedFields() {
        assertLean("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", " + METADATA + "}", Pod.class);
        assertLean(
                "{\"apiVersion\": \"policies.kubewarden.io/v1\", \"kind\": \"ClusterAdmissionPolicy\", \"spec\": {\"module\": \"m\"}, "
                        + METADATA + "}",
                ClusterAdmissionPolicy.class);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ClusterAdmissionPolicy.class,
                AdmissionPolicy.class,
                ClusterAdmissionPolicyGroup.class,
                AdmissionPolicyGroup.class,
                PolicyRevision.class,
                PolicyServer.class
            })
    void readsOurKindsWithoutAnExplicitType(Class<? extends HasMetadata> kind) {
        var json = "{\"apiVersion\": \"policies.kubewarden.io/v1\", \"kind\": \"" + kind.getSimpleName() + "\", "
                + METADATA + "}";

        HasMetadata read = LeanObjects.serialization().unmarshal(json);

        assertThat(read).isInstanceOf(kind);
    }

    private static void assertLean(String json, Class<? extends HasMetadata> type) {
        var serialization = LeanObjects.serialization();

        var object = serialization.unmarshal(json, type);

        assertThat(object.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(object.getMetadata().getAdditionalProperties()).isEmpty();
        assertThat(object.getMetadata().getName()).isEqualTo("x");
        assertThat(object.getMetadata().getLabels()).containsEntry("a", "b");
        assertThat(object.getMetadata().getResourceVersion()).isEqualTo("7");
        assertThat(serialization.asJson(object)).doesNotContain("managedFields").contains("\"name\":\"x\"");
    }
}
