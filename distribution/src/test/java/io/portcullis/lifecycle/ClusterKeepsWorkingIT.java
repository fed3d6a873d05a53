package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster.Daemon;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Situations in which an admission webhook could stop a cluster. One replica, as the chart installs it, on real nodes. */
@Tag("level3")
@NeedsTools("helm")
@RealCluster(level = Level.NODES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // set before all tests
class ClusterKeepsWorkingIT {

    private static final Duration LIMIT = HelmInstallation.LIMIT;
    private static final String SERVER = "single";
    private static final String POLICY = "keeps-working";
    private static final int LAST = Integer.MAX_VALUE;
    private static final int TOO_MANY_REQUESTS = 429;

    private TestCluster cluster;
    private Policies policies;
    private Requests requests;
    private HelmInstallation installation;
    private Path files;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        files = directory;
        var watched = cluster.namespace() + "-watched";
        policies = new Policies(cluster.client());
        requests = new Requests(cluster.client(), watched);
        installation = HelmInstallation.prepare(cluster, directory, watched, "controller", "policy-server");
        installController();
        cluster.client()
                .resource(Policies.server(SERVER, 1, installation.host()))
                .create();
        cluster.client()
                .resource(Policies.patient(
                        Policies.privilegedPods(POLICY, SERVER, installation.module(), "first", watched)))
                .create();
    }

    private void installController() {
        installation.installOwnController("alwaysAcceptAdmissionReviewsOnDeploymentsNamespace=false");
    }

    @BeforeEach
    void thePolicyIsEnforcedByOneReplica() {
        awaitEnforced();
        awaitOneReplica();
    }

    @AfterAll
    void uninstall() {
        try (var installed = installation) {
            installed.uninstallController();
        }
    }

    @Test
    void aNewEnvironmentVariableOfTheOnlyReplicaLosesNoRequest() throws InterruptedException {
        var before = uid();
        var load = Load.start(requests, 10);

        setVariable("SOME_SETTING");

        await("another pod").atMost(LIMIT).until(() -> !uid().equals(before));
        awaitOneReplica();
        assertThat(load.finish()).isEmpty();
        assertThat(Serialization.asJson(replica())).contains("SOME_SETTING");
    }

    private void setVariable(String name) {
        policies.editServer(
                SERVER,
                spec -> spec.putArray("env").addObject().put("name", name).put("value", "new"));
    }

    /** While kube-proxy is stopped, every new connection leads to the first replica, which serves at least five seconds longer. */
    @Test
    void theOnlyReplicaServesUntilASlowServiceProxyKnowsItsSuccessor() throws InterruptedException {
        var first = replica();
        var load = Load.start(requests, 10);
        cluster.local().stop(Daemon.SERVICE_PROXY);
        try {
            setVariable("SLOW_PROXY");
            cluster.await(
                    cluster.client().resource(first), pod -> pod.getMetadata().getDeletionTimestamp() != null, LIMIT);
            int asked = load.answered();
            await("ten seconds of requests").atMost(LIMIT).until(() -> load.answered() > asked + 100);
        } finally {
            cluster.local().start(Daemon.SERVICE_PROXY);
        }

        awaitOneReplica();
        assertThat(load.finish()).isEmpty();
    }

    @Test
    void anotherImageOfTheOnlyReplicaLosesNoRequest() throws InterruptedException {
        var image = installation.loadImage("policy-server", "next");
        var load = Load.start(requests, 10);

        policies.editServer(SERVER, spec -> spec.put("image", image));

        await("the new image")
                .atMost(LIMIT)
                .until(() -> replica()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage()
                        .equals(image));
        awaitOneReplica();
        assertThat(load.finish()).isEmpty();
    }

    @Test
    void anImageThatDoesNotExistLeavesTheOnlyReplicaAlone() throws InterruptedException {
        var before = uid();
        var good = replica().getSpec().getContainers().getFirst().getImage();
        var load = Load.start(requests, 10);

        policies.editServer(SERVER, spec -> spec.put("image", "localhost/portcullis/policy-server:missing"));
        await("the second replica to fail")
                .atMost(LIMIT)
                .until(() -> progress().contains("a second replica to be ready"));
        policies.editServer(SERVER, spec -> spec.put("image", good));

        awaitOneReplica();
        assertThat(load.finish()).isEmpty();
        assertThat(uid()).isEqualTo(before);
    }

    /** As {@code kubectl drain} does it. */
    @Test
    void drainingTheNodeOfTheOnlyReplicaLosesNoRequest() throws InterruptedException {
        var pod = replica();
        var node = pod.getSpec().getNodeName();
        var load = Load.start(requests, 10);
        cordon(node, true);
        try {
            await("the eviction to be allowed")
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> evict(pod));

            await("a replica on another node")
                    .atMost(LIMIT)
                    .until(() -> !uid().equals(pod.getMetadata().getUid())
                            && !replica().getSpec().getNodeName().equals(node));
            awaitOneReplica();
        } finally {
            cordon(node, false);
        }
        assertThat(load.finish()).isEmpty();
    }

    private void cordon(String node, boolean isCordoned) {
        Policies.edit(
                cluster.client().nodes().withName(node),
                found -> found.getSpec().setUnschedulable(isCordoned));
    }

    /** Whether the disruption budget allowed it. */
    private boolean evict(Pod pod) {
        try {
            return cluster.client()
                    .pods()
                    .inNamespace(cluster.namespace())
                    .withName(pod.getMetadata().getName())
                    .evict(new EvictionBuilder()
                            .withNewMetadata()
                            .withName(pod.getMetadata().getName())
                            .withNamespace(cluster.namespace())
                            .endMetadata()
                            .build());
        } catch (KubernetesClientException e) {
            assertThat(e.getCode()).isEqualTo(TOO_MANY_REQUESTS);
            return false;
        }
    }

    @Test
    void newCertificatesForTheOnlyReplicaLoseNoRequest() throws InterruptedException {
        var certificates = new InstalledCertificates(cluster, SERVER, files);
        var load = Load.start(requests, 10);

        certificates.replaceAll(LIMIT);

        assertThat(load.finish()).isEmpty();
    }

    /** The module comes from a web server, so that no signature of it can be accepted. */
    @Test
    void aStricterVerificationConfigKeepsAnActivePolicyAndSaysSoOrFailsItOnRequest() {
        cluster.apply(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("strict")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .addToData("verification-config", """
                        apiVersion: v1
                        allOf:
                          - kind: githubAction
                            owner: no-such-owner
                        """)
                .build());
        policies.editServer(SERVER, spec -> spec.put("verificationConfig", "strict"));

        cluster.await(
                policies.get(POLICY),
                policy -> reasons(policy).contains("SignatureNotAccepted") && Stage.isEnforced(policy),
                LIMIT);
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        await("the Event")
                .atMost(LIMIT)
                .until(() -> cluster.eventReasons(POLICY).contains("SignatureNotAccepted"));

        policies.editServer(SERVER, spec -> spec.put("unverifiedPolicies", "Fail"));
        cluster.await(
                policies.get(POLICY),
                policy -> reasons(policy).contains("SignatureVerificationError")
                        && Stage.status(policy).phase() == Phase.FAILED,
                LIMIT);
        await("its webhook's failure policy to decide")
                .atMost(LIMIT)
                .until(() -> requests.privilegedPod() instanceof Answer.Failed);

        policies.editServer(SERVER, spec -> {
            spec.remove("verificationConfig");
            spec.remove("unverifiedPolicies");
        });
        awaitEnforced();
    }

    private static List<String> reasons(ClusterAdmissionPolicy policy) {
        return policy.getStatus() == null
                ? List.of()
                : policy.getStatus().conditions().stream()
                        .map(Condition::reason)
                        .toList();
    }

    /** The policy refuses everything that is no pod, and reaches into our namespace. */
    @Test
    void aPolicyForEverythingDoesNotKeepThePlatformFromComingBack() {
        var everything = Policies.privilegedPods("everything", SERVER, installation.module(), "all", "unused");
        everything.getSpec().remove("namespaceSelector");
        everything
                .getSpec()
                .put("allowInsideAdmissionControllerNamespace", true)
                .put("failurePolicy", "Fail");
        var rule = everything.getSpec().putArray("rules").addObject();
        for (var field : List.of("apiGroups", "apiVersions", "operations")) {
            rule.putArray(field).add("*");
        }
        rule.putArray("resources").add("*/*");
        cluster.client().resource(everything).create();
        var live = policies.get("everything");
        try {
            cluster.await(live, policy -> policy.getStatus() != null && Stage.isEnforced(policy), LIMIT);
            var before = uid();

            cluster.client()
                    .pods()
                    .inNamespace(cluster.namespace())
                    .withGracePeriod(0)
                    .delete();

            await("a new replica").atMost(LIMIT).until(() -> !uid().equals(before) && Readiness.isPodReady(replica()));
            await("the controller").atMost(LIMIT).until(() -> isControllerReady());
        } finally {
            live.delete();
        }
        await("the policy and its webhook to go").atMost(LIMIT).until(() -> live.get() == null);
        awaitEnforced();
    }

    private boolean isControllerReady() {
        return cluster
                .client()
                .pods()
                .inNamespace(cluster.namespace())
                .withLabel("app.kubernetes.io/name", "kubewarden-controller")
                .list()
                .getItems()
                .stream()
                .anyMatch(Readiness::isPodReady);
    }

    @Test
    @Order(LAST)
    void deletingTheNamespaceWithoutUninstallingBlocksNothing() {
        var namespace = cluster.client().namespaces().withName(cluster.namespace());
        namespace.delete();

        await("requests to flow again")
                .atMost(Duration.ofSeconds(30))
                .until(() -> requests.privilegedPod() instanceof Answer.Allowed);
        await("the namespace to go").atMost(LIMIT).until(() -> namespace.get() == null);
        assertThat(HelmInstallation.webhooks(cluster))
                .noneMatch(webhook -> Serialization.asJson(webhook).contains('"' + cluster.namespace() + '"'));
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Allowed.class);
        assertThat(cluster.client()
                        .resources(PolicyServer.class)
                        .withName(SERVER)
                        .get())
                .isNotNull();

        installation.recreateNamespace();
        installController();

        awaitEnforced();
        await().atMost(LIMIT).until(() -> requests.privilegedPod() instanceof Answer.Denied);
    }

    private Pod replica() {
        return cluster.client()
                .pods()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + SERVER + "-0")
                .waitUntilCondition(
                        pod -> pod != null && pod.getSpec().getNodeName() != null, LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private String uid() {
        return replica().getMetadata().getUid();
    }

    private String progress() {
        var status = cluster.client()
                .resources(PolicyServer.class)
                .withName(SERVER)
                .get()
                .getStatus();
        return status == null
                ? ""
                : status.conditions().stream()
                        .filter(condition -> condition.getType().equals("Progressing"))
                        .map(condition -> condition.getMessage())
                        .findFirst()
                        .orElse("");
    }

    private void awaitOneReplica() {
        await("one replica, ready, and no rollout").atMost(LIMIT).until(() -> {
            var replicas = installation.replicas();
            return replicas.size() == 1
                    && Readiness.isPodReady(replicas.getFirst())
                    && progress().startsWith("1 of 1 replicas ready");
        });
    }

    private ClusterAdmissionPolicy awaitEnforced() {
        return cluster.await(
                policies.get(POLICY), policy -> policy.getStatus() != null && Stage.isEnforced(policy), LIMIT);
    }
}
