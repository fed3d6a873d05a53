package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.core.webhook.DesiredWebhook;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A policy for all requests with {@code failurePolicy: Fail} whose server is down, so that its webhook does not
 * respond. Requests that the platform needs for its recovery pass. All other requests are rejected.
 */
@Tag("level1")
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class PlatformExemptionIT {

    private static final String OTHER_NAMESPACE = "default";

    private TestCluster cluster;
    private HasMetadata webhook;

    @BeforeAll
    void register(TestCluster testCluster) {
        cluster = testCluster;
        cluster.installCrds();
        create(admin(), object("ClusterAdmissionPolicy", "", "to-be-deleted"), false);
        var policy = Serialization.unmarshal("""
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: everything, uid: "1", generation: 1}
                spec:
                  module: registry://example.com/everything:v1
                  mutating: false
                  failurePolicy: Fail
                  allowInsideAdmissionControllerNamespace: true
                  rules:
                    - {apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"]}
                """, ClusterAdmissionPolicy.class);
        var revision = new DesiredRevision(IdentityScheme.DOTTED, cluster.namespace()).of(policy);
        webhook = new DesiredWebhook(cluster.namespace(), Optional.empty(), "", true).of(revision);
        admin().resource(webhook).create();
        await("the webhook to be called")
                .atMost(Duration.ofMinutes(1))
                .until(() -> !passes(admin(), object("ConfigMap", OTHER_NAMESPACE, "any")));
    }

    @AfterAll
    void remove() {
        admin().resource(webhook).delete();
        await("the webhook to be gone").atMost(Duration.ofMinutes(1)).until(() -> {
            var isGone = passes(admin(), object("ConfigMap", OTHER_NAMESPACE, "any"));
            if (isGone) {
                admin().resources(ClusterAdmissionPolicy.class)
                        .withName("to-be-deleted")
                        .delete();
            }
            return isGone;
        });
    }

    private KubernetesClient admin() {
        return cluster.client();
    }

    /** Creates a client for a member of {@code system:masters}, so that only the webhook can reject requests. */
    private KubernetesClient user(String name) {
        var config = new ConfigBuilder(admin().getConfiguration())
                .withImpersonateUsername(name.replace("$NS", cluster.namespace()))
                .withImpersonateGroups("system:masters")
                .withRequestRetryBackoffLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private HasMetadata object(String kind, String namespace, String name) {
        var spec = switch (kind) {
            case "Pod" -> "v1\nspec: {containers: [{name: c, image: i}]}";
            case "Service" -> "v1\nspec: {ports: [{port: 443}]}";
            case "Node", "ConfigMap", "Secret", "Namespace" -> "v1";
            case "Lease" -> "coordination.k8s.io/v1\nspec: {}";
            case "EndpointSlice" -> "discovery.k8s.io/v1\naddressType: IPv4\nendpoints: []";
            case "SubjectAccessReview" ->
                "authorization.k8s.io/v1\nspec: {user: a, nonResourceAttributes: {path: /, verb: get}}";
            case "ClusterAdmissionPolicy" ->
                "policies.kubewarden.io/v1\nspec: {module: 'registry://example.com/a:v1', mutating: false, rules: []}";
            case "PolicyServer" -> "policies.kubewarden.io/v1\nspec: {image: i, replicas: 1}";
            default -> throw new IllegalArgumentException(kind);
        };
        return admin().getKubernetesSerialization()
                .unmarshal("""
                kind: %s
                metadata: %s
                apiVersion: %s
                """.formatted(kind, kind.endsWith("Review") ? "{}" : metadata(namespace, name), spec));
    }

    private String metadata(String namespace, String name) {
        return "{name: " + name
                + (namespace.isEmpty() ? "" : ", namespace: " + namespace.replace("$NS", cluster.namespace()))
                + (name.equals("labelled") ? ", labels: {app.kubernetes.io/part-of: kubewarden}" : "")
                + "}";
    }

    private static void create(KubernetesClient client, HasMetadata object, boolean isDryRun) {
        client.resource(object).dryRun(isDryRun).create();
    }

    private static boolean passes(KubernetesClient client, HasMetadata object) {
        try {
            create(client, object, true);
            return true;
        } catch (KubernetesClientException e) {
            assertThat(e.getMessage()).contains("failed calling webhook");
            return false;
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // situation, user, kind, namespace, name → whether it passes
        "the StatefulSet controller creates a replica, system:serviceaccount:kube-system:statefulset-controller, Pod, $NS, policy-server-a-0, true",
        "a controller manager without service accounts, system:kube-controller-manager, Pod, $NS, policy-server-a-0, true",
        "Kubernetes publishes the endpoints of replicas, system:serviceaccount:kube-system:endpointslice-controller, EndpointSlice, $NS, policy-server-a, true",
        "the controller renews its lease, system:serviceaccount:$NS:kubewarden-controller, Lease, $NS, kubewarden-controller, true",
        "the controller repairs a Service, system:serviceaccount:$NS:kubewarden-controller, Service, $NS, policy-server-a, true",
        "the controller renews a certificate, system:serviceaccount:$NS:kubewarden-controller, Secret, $NS, policy-server-a, true",
        "an operator repairs an object of the platform, kubernetes-admin, ConfigMap, $NS, labelled, true",
        "an operator creates another object in the namespace, kubernetes-admin, ConfigMap, $NS, other, false",
        "a kubelet renews its lease, system:node:node1, Lease, kube-node-lease, node1, true",
        "the scheduler renews its lease, system:kube-scheduler, Lease, kube-system, kube-scheduler, true",
        "a kubelet registers its node, system:node:node1, Node, '', node1, true",
        "a user renews a lease, a-user, Lease, default, mine, false",
        "a webhook asks who may do what, a-user, SubjectAccessReview, '', any, true",
        "an operator scales a policy server, kubernetes-admin, PolicyServer, '', a, true",
        "the controller writes to a policy, system:serviceaccount:$NS:kubewarden-controller, ClusterAdmissionPolicy, '', b, true",
        "a user creates a policy, a-user, ClusterAdmissionPolicy, '', b, false",
        "the StatefulSet controller creates an object elsewhere, system:serviceaccount:kube-system:statefulset-controller, ConfigMap, default, a, false",
        "an account of the platform creates an object elsewhere, system:serviceaccount:$NS:kubewarden-controller, ConfigMap, default, a, false",
        "a user creates a labelled object elsewhere, a-user, ConfigMap, default, labelled, false",
        "a user whose name looks like a node's, system:nodes, ConfigMap, $NS, a, false",
    })
    void onlyRequestsThatThePlatformNeedsPass(
            String situation, String user, String kind, String namespace, String name, boolean expected) {
        try (var client = user(user)) {
            assertThat(passes(client, object(kind, namespace, name)))
                    .as(situation)
                    .isEqualTo(expected);
        }
    }

    @Test
    void aPolicyCanBeDeleted() {
        try (var client = user("kubernetes-admin")) {
            var deleted = client.resources(ClusterAdmissionPolicy.class)
                    .withName("to-be-deleted")
                    .dryRun(true)
                    .delete();

            assertThat(deleted).isNotEmpty();
        }
    }

    @Test
    void theNamespaceOfThePlatformCanBeDeleted() {
        try (var client = user("kubernetes-admin")) {
            var deleted = client.namespaces()
                    .withName(cluster.namespace())
                    .dryRun(true)
                    .delete();

            assertThat(deleted).isNotEmpty();
        }
    }
}
