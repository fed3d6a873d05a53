package io.portcullis.controller.policyserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerDefaults.Telemetry;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.status.ServerStatus;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The reconciler against a real API server, which validates every object. No pods run; the test simulates the kubelet.
 */
@Tag("level1")
@RealCluster(level = Level.API)
@NeedsTools("kubectl")
class PolicyServerReconcilerIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final TestCluster cluster;
    private final KubernetesClient client;
    private final AtomicInteger writes = new AtomicInteger();
    private final KubernetesClient countingClient;
    private final ClusterView view;
    private final EventWriter events;
    private final WorkQueue<String> queue;

    PolicyServerReconcilerIT(TestCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.countingClient = new KubernetesClientBuilder()
                .withConfig(client.getConfiguration())
                .withHttpClientBuilderConsumer(builder -> builder.addOrReplaceInterceptor("count", new Interceptor() {
                    @Override
                    public void before(BasicBuilder request, HttpRequest sent, RequestTags tags) {
                        if (!sent.method().equals("GET")) {
                            writes.incrementAndGet();
                        }
                    }
                }))
                .build();
        var settings = new ServerDefaults(
                cluster.namespace(),
                List.of("pull"),
                false,
                true,
                Optional.empty(),
                Telemetry.OFF,
                new ServerDefaults.Network(true, List.of(443, 6443)),
                "system:serviceaccount:" + cluster.namespace() + ":kubewarden-controller");
        this.view = new ClusterView(countingClient, cluster.namespace());
        this.events = new EventWriter(
                countingClient, new EventSource("test", null), EventWriter.Repetition.COUNTED, Clock.systemUTC());
        this.queue = new WorkQueue<>(
                "policy-servers",
                WorkQueue.Pace.USUAL,
                new PolicyServerReconciler(
                        countingClient, events, view, settings, _ -> {}, () -> Optional.of("CA"), Clock.systemUTC()));
        PolicyServerWatches.connect(view, settings, queue);
    }

    @BeforeEach
    void start() throws IOException {
        cluster.installCrds();
        view.start();
    }

    @AfterEach
    void stop() {
        queue.close();
        events.close();
        view.close();
        countingClient.close();
        client.resources(PolicyServer.class).list().getItems().forEach(server -> {
            client.resource(server).delete();
            patch(server.getMetadata().getName(), "{metadata: {finalizers: null}}");
        });
    }

    private void eventually(ThrowingRunnable assertion) {
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(100)).untilAsserted(assertion);
    }

    private PolicyServer create(String name, String spec) {
        return client.resource(Serialization.unmarshal(
                        "---\nmetadata: {name: %s}\napiVersion: policies.kubewarden.io/v1\nkind: PolicyServer\nspec: %s"
                                .formatted(name, spec),
                        PolicyServer.class))
                .create();
    }

    private void patch(String name, String yaml) {
        var json = Serialization.asJson(Serialization.unmarshal("---\n" + yaml, ObjectNode.class));
        client.resources(PolicyServer.class).withName(name).patch(PatchContext.of(PatchType.JSON_MERGE), json);
    }

    private PolicyServer server(String name) {
        return client.resources(PolicyServer.class).withName(name).require();
    }

    private StatefulSet statefulSet(String name) {
        return client.apps().statefulSets().withName("policy-server-" + name).require();
    }

    private String condition(String name, String type) {
        return ServerStatus.find(ServerStatus.previous(server(name)), type)
                .map(condition -> condition.getStatus() + " " + condition.getMessage())
                .orElse("absent");
    }

    /** Sets the status like the StatefulSet controller and the kubelets. */
    private void setReadyReplicas(String name, int ready) {
        var set = statefulSet(name);
        set.setStatus(new StatefulSetStatusBuilder()
                .withObservedGeneration(set.getMetadata().getGeneration())
                .withReplicas(ready)
                .withReadyReplicas(ready)
                .withUpdatedReplicas(ready)
                .build());
        client.resource(set).updateStatus();
    }

    private void awaitReconciled(String name) {
        eventually(() ->
                assertThat(condition(name, "PodDisruptionBudgetReconciled")).isEqualTo("True "));
        eventually(() -> assertThat(condition(name, "StatefulSetReconciled")).isEqualTo("True "));
    }

    @Test
    void createsAllObjectsAndThenWritesNothing() {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("ps")
                .withNamespace(cluster.namespace())
                .addToLabels(PolicyServerAccount.LABEL, "true")
                .endMetadata()
                .build());
        create("whole", """
            {image: 'policy-server:1', replicas: 2, serviceAccountName: ps, limits: {cpu: 1000m},
             insecureSources: [a.example.com], cache: {mode: Shared}, env: [{name: KUBEWARDEN_PORT, value: '1'}]}\
            """);
        awaitReconciled("whole");
        setReadyReplicas("whole", 2);
        eventually(() -> assertThat(condition("whole", "Available")).startsWith("True 2 of 2"));
        eventually(() -> assertThat(condition("whole", "Progressing")).startsWith("False"));

        var name = "policy-server-whole";
        assertThat(client.services().withName(name).require().getSpec().getClusterIP())
                .isNotEqualTo("None");
        assertThat(client.services()
                        .withName(name + "-pods")
                        .require()
                        .getSpec()
                        .getClusterIP())
                .isEqualTo("None");
        assertThat(client.configMaps().withName(name).require().getData()).containsOnlyKeys("sources.yml");
        assertThat(client.persistentVolumeClaims().withName(name + "-cache").get())
                .isNotNull();
        assertThat(client.network()
                        .v1()
                        .networkPolicies()
                        .withName(name)
                        .require()
                        .getSpec()
                        .getPolicyTypes())
                .containsExactly("Ingress", "Egress");
        assertThat(client.policy().v1().podDisruptionBudget().withName(name).get())
                .isNotNull();
        assertThat(client.rbac().roleBindings().withName(name + "-lifecycle").get())
                .isNotNull();
        assertThat(statefulSet("whole").getMetadata().getOwnerReferences())
                .singleElement()
                .returns(true, owner -> owner.getController())
                .returns(server("whole").getMetadata().getUid(), owner -> owner.getUid());
        assertThat(server("whole").getMetadata().getFinalizers()).contains(PolicyNames.FINALIZER);
        eventually(() -> assertThat(client.v1().events().inNamespace("default").list().getItems().stream()
                        .filter(event -> server("whole")
                                .getMetadata()
                                .getUid()
                                .equals(event.getInvolvedObject().getUid()))
                        .map(event -> event.getReason()))
                .contains("RolloutStarted", "RolloutCompleted", "ReservedEnvIgnored"));

        eventually(() -> assertThat(queue.pending()).isZero());
        int before = writes.get();
        for (int i = 0; i < 5; i++) {
            queue.add("whole");
            eventually(() -> assertThat(queue.pending()).isZero());
        }
        assertThat(writes.get()).as("writes of reconciles without changes").isEqualTo(before);
    }

    @Test
    void repairsObjectsThatOthersChangeOrDelete() {
        create("repaired", "{image: 'policy-server:1', replicas: 2}");
        awaitReconciled("repaired");
        var name = "policy-server-repaired";

        client.apps().statefulSets().withName(name).edit(set -> {
            set.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage("evil:1");
            set.getMetadata().getLabels().remove(PolicyServerNames.POD_LABEL);
            return set;
        });
        client.services().withName(name).delete();
        client.configMaps()
                .withName(name)
                .edit(map -> new ConfigMapBuilder(map)
                        .withData(Map.of("sources.yml", "{}"))
                        .build());
        client.policy().v1().podDisruptionBudget().withName(name).delete();
        client.rbac().roleBindings().withName(name + "-lifecycle").delete();

        eventually(() -> {
            var set = statefulSet("repaired");
            assertThat(set.getSpec()
                            .getTemplate()
                            .getSpec()
                            .getContainers()
                            .getFirst()
                            .getImage())
                    .isEqualTo("policy-server:1");
            assertThat(set.getMetadata().getLabels()).containsKey(PolicyServerNames.POD_LABEL);
            assertThat(client.services().withName(name).get()).isNotNull();
            assertThat(client.configMaps().withName(name).require().getData().get("sources.yml"))
                    .contains("insecure_sources");
            assertThat(client.policy().v1().podDisruptionBudget().withName(name).get())
                    .isNotNull();
            assertThat(client.rbac()
                            .roleBindings()
                            .withName(name + "-lifecycle")
                            .get())
                    .isNotNull();
        });
    }

    @Test
    void appliesChangesOfTheSpecAndTheScaleSubresource() {
        create("followed", """
            {image: 'policy-server:1', replicas: 1, annotations: {mine: x}, maxUnavailable: 1, cache: {mode: Shared}}\
            """);
        awaitReconciled("followed");
        client.apps().statefulSets().withName("policy-server-followed").edit(set -> {
            set.getMetadata().getAnnotations().put("theirs", "y");
            return set;
        });

        client.resources(PolicyServer.class).withName("followed").scale(3);
        patch("followed", """
                spec: {image: 'policy-server:2', annotations: {mine: null, ours: z}, maxUnavailable: null,
                       cache: {mode: Ephemeral}, env: [{name: A, value: b}], insecureSources: [plain.example.com],
                       sourceAuthorities: {tls.example.com: [PEM]}}""");

        eventually(() -> {
            var set = statefulSet("followed");
            assertThat(set.getSpec().getReplicas()).isEqualTo(3);
            assertThat(set.getMetadata().getAnnotations())
                    .containsEntry("theirs", "y")
                    .containsEntry("ours", "z")
                    .doesNotContainKey("mine");
            assertThat(set.getSpec().getTemplate().getSpec().getContainers().getFirst())
                    .returns("policy-server:2", container -> container.getImage())
                    .satisfies(container -> assertThat(container.getEnv())
                            .anyMatch(variable -> variable.getName().equals("A")
                                    && variable.getValue().equals("b")));
            assertThat(set.getSpec().getTemplate().getMetadata().getAnnotations())
                    .containsEntry("ours", "z")
                    .doesNotContainKey("mine");
            assertThat(sources("followed"))
                    .isEqualTo("{\"insecure_sources\":[\"plain.example.com\"],\"source_authorities\":"
                            + "{\"tls.example.com\":[{\"data\":\"PEM\",\"type\":\"Data\"}]}}");
            assertThat(client.persistentVolumeClaims()
                            .withName("policy-server-followed-cache")
                            .get())
                    .satisfiesAnyOf(
                            claim -> assertThat(claim).isNull(),
                            claim -> assertThat(claim.getMetadata().getDeletionTimestamp())
                                    .isNotNull());
        });
        setReadyReplicas("followed", 3);
        eventually(() -> assertThat(client.resources(PolicyServer.class)
                        .withName("followed")
                        .scale()
                        .getStatus())
                .returns(3, scale -> scale.getReplicas())
                .returns(new ServerNames("followed").selectorText(), scale -> scale.getSelector()));
    }

    @Test
    void rollsThePodsOnReferencedChangesAndReportsMissingReferences() {
        create("referring", "{image: 'policy-server:1', replicas: 1}");
        awaitReconciled("referring");
        var image = hash("referring");

        patch("referring", "spec: {image: 'policy-server:2', imagePullSecret: registry}");
        eventually(() -> assertThat(condition("referring", "StatefulSetReconciled"))
                .isEqualTo("False spec.imagePullSecret: Secret registry does not exist"));
        assertThat(condition("referring", "DeploymentReconciled")).startsWith("False");
        assertThat(statefulSet("referring")
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage())
                .isEqualTo("policy-server:1");

        var secret = new SecretBuilder()
                .withNewMetadata()
                .withName("registry")
                .endMetadata()
                .withType("kubernetes.io/dockerconfigjson")
                .addToStringData(".dockerconfigjson", "{\"auths\":{}}")
                .build();
        client.resource(secret).create();
        awaitReconciled("referring");
        var first = hash("referring");
        assertThat(first).isNotEqualTo(image);

        client.secrets()
                .withName("registry")
                .edit(found -> new SecretBuilder(found)
                        .addToStringData(".dockerconfigjson", "{\"auths\":{\"a\":{}}}")
                        .build());
        eventually(() -> assertThat(hash("referring")).isNotEqualTo(first));
    }

    @Test
    void rollsThePodsOnChangedAuthoritiesAndKeepsTheLastOnesWhenTheirObjectIsGone() {
        create("trusting", """
                {image: 'policy-server:1', replicas: 1, sourceAuthoritiesFrom: {
                  a.example.com: [{configMapKeyRef: {name: cas, key: ca.crt}}],
                  b.example.com: [{secretKeyRef: {name: cas, key: tls.crt}}]}}""");
        eventually(() -> assertThat(condition("trusting", "SourceAuthoritiesResolved"))
                .isEqualTo("False spec.sourceAuthoritiesFrom[a.example.com][0]: ConfigMap cas does not exist;"
                        + " spec.sourceAuthoritiesFrom[b.example.com][0]: Secret cas does not exist"));
        assertThat(condition("trusting", "ConfigMapReconciled")).startsWith("False");
        assertThat(client.apps()
                        .statefulSets()
                        .withName("policy-server-trusting")
                        .get())
                .isNull();

        var maker = new CertificateMaker(Clock.systemUTC(), new SecureRandom());
        var one = maker.authority();
        var two = maker.authority();
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("cas")
                        .endMetadata()
                        .addToData("ca.crt", one.certificatePem())
                        .build())
                .create();
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("cas")
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                        .addToStringData("tls.crt", one.certificatePem())
                        .addToStringData("tls.key", one.keyPem())
                        .build())
                .create();
        awaitReconciled("trusting");
        eventually(() ->
                assertThat(condition("trusting", "SourceAuthoritiesResolved")).isEqualTo("True "));
        assertThat(sources("trusting"))
                .contains("a.example.com", "b.example.com", "BEGIN CERTIFICATE")
                .doesNotContain("PRIVATE KEY");
        var first = hash("trusting");
        var before = sources("trusting");

        client.configMaps()
                .withName("cas")
                .edit(found -> new ConfigMapBuilder(found)
                        .addToData("ca.crt", two.certificatePem())
                        .build());
        eventually(() -> assertThat(hash("trusting")).isNotEqualTo(first));
        assertThat(sources("trusting")).isNotEqualTo(before);
        var second = hash("trusting");
        var content = sources("trusting");

        client.configMaps().withName("cas").delete();
        eventually(() -> assertThat(condition("trusting", "SourceAuthoritiesResolved"))
                .isEqualTo("False spec.sourceAuthoritiesFrom[a.example.com][0]: ConfigMap cas does not exist;"
                        + " the last certificates stay in use"));
        patch("trusting", "spec: {image: 'policy-server:2'}");
        eventually(() -> assertThat(statefulSet("trusting")
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage())
                .isEqualTo("policy-server:2"));
        assertThat(condition("trusting", "StatefulSetReconciled")).isEqualTo("True ");
        assertThat(sources("trusting")).isEqualTo(content);
        assertThat(hash("trusting")).isEqualTo(second);
    }

    private String sources(String name) {
        var map = client.configMaps().withName("policy-server-" + name).require();
        return map.getData().getOrDefault("sources.yml", "");
    }

    private String hash(String name) {
        return statefulSet(name)
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .getOrDefault(ServerNames.CONFIG_HASH, "");
    }

    @Test
    void reportsMalformedAndRejectedSpecs() {
        create("malformed", "{image: 'policy-server:1', replicas: 1, affinity: {nodeAffinity: oops}}");
        eventually(() ->
                assertThat(condition("malformed", "StatefulSetReconciled")).startsWith("False spec.affinity"));

        patch("malformed", "spec: {affinity: null, minAvailable: 1, maxUnavailable: 1}");
        eventually(() -> assertThat(condition("malformed", "PodDisruptionBudgetReconciled"))
                .startsWith("False ")
                .contains("minAvailable and maxUnavailable cannot be both set"));
        assertThat(condition("malformed", "StatefulSetReconciled")).isEqualTo("True ");

        patch("malformed", "spec: {maxUnavailable: null}");
        awaitReconciled("malformed");
    }

    @Test
    void deletionWaitsForWebhooksAndKeepsPolicies() {
        create("leaving", "{image: 'policy-server:1', replicas: 1}");
        awaitReconciled("leaving");
        // Keeps the resource after its cleanup, so that the test can read the last status.
        client.resources(PolicyServer.class).withName("leaving").edit(server -> {
            server.getMetadata().getFinalizers().add("test.example.com/hold");
            return server;
        });
        client.resource(Serialization.unmarshal("""
            ---
            apiVersion: policies.kubewarden.io/v1
            kind: ClusterAdmissionPolicy
            metadata: {name: stays}
            spec: {policyServer: leaving, module: a, mutating: false,
                   rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
            """, ClusterAdmissionPolicy.class))
                .create();
        var webhook = cluster.apply(
                Serialization.unmarshal("""
                    ---
                    apiVersion: admissionregistration.k8s.io/v1
                    kind: ValidatingWebhookConfiguration
                    metadata:
                      name: kw.cap.stays
                      labels: {app.kubernetes.io/part-of: kubewarden}
                      annotations: {kubewardenPolicyName: stays, kubewardenPolicyNamespace: '',
                                    kubewarden.io/policy-server: leaving}
                    webhooks:
                      - name: kw.cap.stays.kubewarden.admission
                        admissionReviewVersions: [v1]
                        sideEffects: None
                        failurePolicy: Ignore
                        clientConfig: {service: {namespace: %s, name: policy-server-leaving, path: /validate/x}}
                        rules: [{apiGroups: [none.example.com], apiVersions: [v1], resources: [nones], operations: [CREATE]}]
                    """.formatted(cluster.namespace()), ValidatingWebhookConfiguration.class));
        eventually(() ->
                assertThat(view.validatingWebhooks().get("", "kw.cap.stays")).isPresent());

        client.resources(PolicyServer.class).withName("leaving").delete();
        eventually(() -> assertThat(condition("leaving", "PolicyWebhooksCleanedUp"))
                .startsWith("False ")
                .contains("stays"));
        assertThat(ShellCommand.of(
                                Tools.current().path("kubectl").toString(),
                                "--kubeconfig",
                                cluster.local().kubeconfig().toString(),
                                "get",
                                "policyserver",
                                "leaving",
                                "-o",
                                "jsonpath={.status.conditions[?(@.type=='PolicyWebhooksCleanedUp')].status}")
                        .run())
                .isEqualTo("False");

        client.resource(webhook).delete();
        eventually(() ->
                assertThat(server("leaving").getMetadata().getFinalizers()).containsExactly("test.example.com/hold"));
        assertThat(condition("leaving", "PolicyWebhooksCleanedUp")).startsWith("True");
        patch("leaving", "{metadata: {finalizers: null}}");
        eventually(() -> assertThat(
                        client.resources(PolicyServer.class).withName("leaving").get())
                .isNull());
        assertThat(client.resources(ClusterAdmissionPolicy.class)
                        .withName("stays")
                        .get())
                .isNotNull();
        client.resources(ClusterAdmissionPolicy.class).withName("stays").delete();
    }

    @Test
    void replacesADeploymentOfAnEarlierRelease() {
        client.resource(Serialization.unmarshal("""
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: policy-server-old, labels: {kubewarden/policy-server: old}}
            spec:
              selector: {matchLabels: {app: kubewarden-policy-server-old}}
              template:
                metadata: {labels: {app: kubewarden-policy-server-old, kubewarden/config-version: '7'}}
                spec: {containers: [{name: a, image: a}]}
            """, Deployment.class)).create();
        eventually(() -> assertThat(view.deployments().get(cluster.namespace(), "policy-server-old"))
                .isPresent());

        create("old", "{image: 'policy-server:1', replicas: 1}");
        awaitReconciled("old");
        assertThat(client.services()
                        .withName("policy-server-old")
                        .require()
                        .getSpec()
                        .getSelector())
                .containsEntry("kubewarden/config-version", "7");

        setReadyReplicas("old", 1);
        eventually(() -> assertThat(client.services()
                        .withName("policy-server-old")
                        .require()
                        .getSpec()
                        .getSelector())
                .containsKey("kubewarden.io/workload"));
        eventually(() -> assertThat(client.apps()
                        .deployments()
                        .withName("policy-server-old")
                        .require()
                        .getMetadata()
                        .getDeletionTimestamp())
                .isNotNull());
    }
}
