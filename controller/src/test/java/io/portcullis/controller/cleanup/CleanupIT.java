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

    private static final String OURS = "app.kubernetes.io/part-of";

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

    /** As when {@code kubectl delete namespace} ends the installation. */
    @Test
    void aNamespaceThatGoesTakesWebhooksAndFinalizersAlongAndLeavesPolicies() throws IOException {
        createObjects("left");

        Cleanup.leaveNamespace(client, cluster.namespace());

        assertNoWebhooks();
        var server = client.resources(PolicyServer.class).withName("left");
        assertThat(server.require().getMetadata().getFinalizers()).isEmpty();
        assertPolicyReleased("left");
        server.delete();
    }

    @Test
    void leavesNothingThatRefusesOrHolds() throws IOException {
        createObjects("cleaned");
        cluster.apply(Serialization.unmarshal(
                webhook("ValidatingWebhookConfiguration", "theirs", "example.com/part-of", "nones"),
                ValidatingWebhookConfiguration.class));

        Cleanup.run(client, cluster.namespace(), Duration.ofSeconds(1));

        assertNoWebhooks();
        assertThat(client.admissionRegistration()
                        .v1()
                        .validatingWebhookConfigurations()
                        .withName("theirs")
                        .get())
                .isNotNull();
        assertThat(client.resources(PolicyServer.class).withName("cleaned").get())
                .isNull();
        assertPolicyReleased("cleaned");
    }

    /** A policy and a policy server that our finalizers hold, and webhooks that refuse to change them. */
    private void createObjects(String name) throws IOException {
        cluster.defineOurKinds();
        client.resource(Serialization.unmarshal("""
                ---
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: %s, finalizers: [kubewarden.io/finalizer, kubewarden, example.com/other]}
                spec: {module: a, mutating: false,
                       rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
                """.formatted(name), ClusterAdmissionPolicy.class))
                .create();
        client.resource(Serialization.unmarshal("""
                ---
                apiVersion: policies.kubewarden.io/v1
                kind: PolicyServer
                metadata: {name: %s, finalizers: [kubewarden.io/finalizer]}
                spec: {image: a, replicas: 1}
                """.formatted(name), PolicyServer.class))
                .create();
        client.resource(Serialization.unmarshal(
                        webhook("ValidatingWebhookConfiguration", "kw." + name, OURS, "policyservers"),
                        ValidatingWebhookConfiguration.class))
                .create();
        client.resource(Serialization.unmarshal(
                        webhook("MutatingWebhookConfiguration", "kw." + name, OURS, "clusteradmissionpolicies"),
                        MutatingWebhookConfiguration.class))
                .create();
    }

    private void assertNoWebhooks() {
        var admission = client.admissionRegistration().v1();
        assertThat(admission
                        .validatingWebhookConfigurations()
                        .withLabel(OURS, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
        assertThat(admission
                        .mutatingWebhookConfigurations()
                        .withLabel(OURS, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
    }

    private void assertPolicyReleased(String name) {
        var policy = client.resources(ClusterAdmissionPolicy.class).withName(name);
        assertThat(policy.require().getMetadata().getFinalizers()).containsExactly("example.com/other");

        policy.edit(found -> {
            found.getMetadata().getFinalizers().clear();
            return found;
        });
        policy.delete();
    }
}
