package io.portcullis.controller.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Uninstalling with a dead controller leaves no webhook and no finalizer of ours. */
@Tag("level1")
@RealCluster(level = Level.API)
class CleanupIT {

    private final TestCluster cluster;
    private final KubernetesClient client;

    CleanupIT(TestCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
    }

    private String webhook(String kind, String name, String label, String resource) {
        return """
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: %s
            metadata: {name: %s, labels: {%s: kubewarden}}
            webhooks:
              - name: refuses.kubewarden.admission
                admissionReviewVersions: [v1]
                sideEffects: None
                failurePolicy: Fail
                clientConfig: {service: {namespace: %s, name: dead}}
                rules: [{apiGroups: [policies.kubewarden.io], apiVersions: [v1], resources: [%s], operations: [UPDATE]}]
            """.formatted(kind, name, label, cluster.namespace(), resource);
    }

    @Test
    void leavesNothingThatRefusesOrHolds() throws IOException {
        cluster.defineOurKinds();
        client.resource(Serialization.unmarshal("""
                ---
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: held, finalizers: [kubewarden.io/finalizer, kubewarden, example.com/other]}
                spec: {module: a, mutating: false,
                       rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
                """, ClusterAdmissionPolicy.class))
                .create();
        client.resource(Serialization.unmarshal("""
                ---
                apiVersion: policies.kubewarden.io/v1
                kind: PolicyServer
                metadata: {name: cleaned, finalizers: [kubewarden.io/finalizer]}
                spec: {image: a, replicas: 1}
                """, PolicyServer.class)).create();
        var ours = "app.kubernetes.io/part-of";
        client.resource(Serialization.unmarshal(
                        webhook("ValidatingWebhookConfiguration", "kw.cleaned", ours, "policyservers"),
                        ValidatingWebhookConfiguration.class))
                .create();
        client.resource(Serialization.unmarshal(
                        webhook("MutatingWebhookConfiguration", "kw.cleaned", ours, "clusteradmissionpolicies"),
                        MutatingWebhookConfiguration.class))
                .create();
        cluster.apply(Serialization.unmarshal(
                webhook("ValidatingWebhookConfiguration", "theirs", "example.com/part-of", "nones"),
                ValidatingWebhookConfiguration.class));

        Cleanup.run(client, cluster.namespace(), Duration.ofSeconds(1));

        var admission = client.admissionRegistration().v1();
        assertThat(admission
                        .validatingWebhookConfigurations()
                        .withLabel(ours, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
        assertThat(admission
                        .mutatingWebhookConfigurations()
                        .withLabel(ours, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
        assertThat(admission
                        .validatingWebhookConfigurations()
                        .withName("theirs")
                        .get())
                .isNotNull();
        assertThat(client.resources(PolicyServer.class).withName("cleaned").get())
                .isNull();
        var policy = client.resources(ClusterAdmissionPolicy.class).withName("held");
        assertThat(policy.require().getMetadata().getFinalizers()).containsExactly("example.com/other");

        policy.edit(found -> {
            found.getMetadata().getFinalizers().clear();
            return found;
        });
        policy.delete();
    }
}
