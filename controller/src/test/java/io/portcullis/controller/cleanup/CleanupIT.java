package io.portcullis.controller.cleanup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NamespaceListVisitFromServerGetDeleteRecreateWaitApplicable;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Uninstalling without a running controller leaves no webhooks and no finalizers of ours. */
@Tag("level1")
@RealCluster(level = Level.API)
class CleanupIT {

    private static final String PART_OF = "app.kubernetes.io/part-of";

    /** One object of each kind that a policy server has. */
    private static final String SERVER_OBJECTS = """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: NAME, labels: LABELS}
            spec:
              serviceName: a
              selector: {matchLabels: {a: b}}
              template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: NAME, labels: LABELS}
            spec: {ports: [{port: 1}]}
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: NAME, labels: LABELS}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: NAME, labels: LABELS}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: NAME, labels: LABELS}
            spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
            ---
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: NAME, labels: LABELS}
            spec: {minAvailable: 1}
            ---
            apiVersion: networking.k8s.io/v1
            kind: NetworkPolicy
            metadata: {name: NAME, labels: LABELS}
            spec: {podSelector: {}}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            metadata: {name: NAME, labels: LABELS}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: NAME, labels: LABELS}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: NAME}
            """;

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

    /** Simulates the end of an installation by {@code kubectl delete namespace}. */
    @Test
    void deletionOfTheNamespaceRemovesWebhooksAndFinalizersAndKeepsPolicies() throws IOException {
        createObjects("left");

        Cleanup.runForDeletedNamespace(client, cluster.namespace());

        assertNoWebhooks();
        assertServerReleased("left");
        assertPolicyReleased("left");
    }

    @Test
    void removesWebhooksAndFinalizers() throws IOException {
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
        assertServerReleased("cleaned");
        assertPolicyReleased("cleaned");
    }

    /** Creates a policy and a policy server with our finalizers, and webhooks that reject changes to them. */
    private void createObjects(String name) throws IOException {
        cluster.installCrds();
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
                        webhook("ValidatingWebhookConfiguration", "kw." + name, PART_OF, "policyservers"),
                        ValidatingWebhookConfiguration.class))
                .create();
        client.resource(Serialization.unmarshal(
                        webhook("MutatingWebhookConfiguration", "kw." + name, PART_OF, "clusteradmissionpolicies"),
                        MutatingWebhookConfiguration.class))
                .create();
    }

    private void assertNoWebhooks() {
        var admission = client.admissionRegistration().v1();
        assertThat(admission
                        .validatingWebhookConfigurations()
                        .withLabel(PART_OF, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
        assertThat(admission
                        .mutatingWebhookConfigurations()
                        .withLabel(PART_OF, "kubewarden")
                        .list()
                        .getItems())
                .isEmpty();
    }

    /** Also removes objects of a PolicyServer that no chart created. Objects of other owners stay. */
    @Test
    void removesOnlyTheObjectsOfPolicyServers() throws IOException {
        createObjects("own");
        var own = serverObjects("policy-server-own", ServerNames.allServers());
        var theirs = serverObjects("theirs", Map.of("app.kubernetes.io/component", "policy-server"));
        own.create();
        theirs.create();

        Cleanup.run(client, cluster.namespace(), Duration.ofSeconds(1));

        assertThat(present(own)).isEmpty();
        assertThat(present(theirs)).hasSize(10);
        assertServerReleased("own");
        assertPolicyReleased("own");
    }

    private NamespaceListVisitFromServerGetDeleteRecreateWaitApplicable<HasMetadata> serverObjects(
            String name, Map<String, String> labels) {
        var manifests = SERVER_OBJECTS.replace("NAME", name).replace("LABELS", Serialization.asJson(labels));
        return client.load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<HasMetadata> present(
            NamespaceListVisitFromServerGetDeleteRecreateWaitApplicable<HasMetadata> objects) {
        return objects.get().stream()
                .filter(object -> object != null && object.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    private void assertServerReleased(String name) {
        var server = client.resources(PolicyServer.class).withName(name);
        var found = server.require();
        var status = requireNonNull(found.getStatus());
        assertThat(found.getMetadata().getFinalizers()).isEmpty();
        assertThat(status.conditions())
                .extracting(
                        condition -> condition.getType() + "=" + condition.getStatus() + " " + condition.getReason())
                .containsExactly("Available=False Uninstalled", "Progressing=False Uninstalled");
        assertThat(status.readyReplicas()).isZero();
        assertThat(status.policies()).isNull();
        server.delete();
    }

    private void assertPolicyReleased(String name) {
        var policy = client.resources(ClusterAdmissionPolicy.class).withName(name);
        var found = policy.require();
        var status = requireNonNull(found.getStatus());
        assertThat(found.getMetadata().getFinalizers()).containsExactly("example.com/other");
        assertThat(status.policyStatus()).isEqualTo(PolicyState.SCHEDULED);
        assertThat(status.activeGeneration()).isZero();
        assertThat(status.condition(ConditionType.POLICY_ACTIVE))
                .get()
                .returns("Uninstalled", Condition::reason)
                .returns(false, Condition::isTrue);

        policy.edit(stored -> {
            stored.getMetadata().getFinalizers().clear();
            return stored;
        });
        policy.delete();
    }
}
