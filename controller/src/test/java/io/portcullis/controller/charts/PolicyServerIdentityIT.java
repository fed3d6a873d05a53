package io.portcullis.controller.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The chart's ValidatingAdmissionPolicies on a real API server, with real ServiceAccount tokens. RBAC allows everything
 * here, so that only these policies can reject a request.
 */
@Tag("level1")
@RealCluster(level = Level.API)
@NeedsTools("helm")
class PolicyServerIdentityIT {

    private static final ResourceDefinitionContext REVISIONS = new ResourceDefinitionContext.Builder()
            .withGroup("policies.kubewarden.io")
            .withVersion("v1")
            .withKind("PolicyRevision")
            .withPlural("policyrevisions")
            .withNamespaced(true)
            .build();

    private static final String LONG = "a-server-whose-name-has-more-than-38-letters";
    private static final String DIGEST = "sha256:" + "a".repeat(64);

    private static final List<KubernetesClient> CLIENTS = new ArrayList<>();

    private final TestCluster cluster;

    PolicyServerIdentityIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.installCrds();
        for (var account : List.of("servers", "kubewarden-controller")) {
            cluster.apply(new ServiceAccountBuilder()
                    .withNewMetadata()
                    .withName(account)
                    .withNamespace(cluster.namespace())
                    .endMetadata()
                    .build());
            cluster.apply(new ClusterRoleBindingBuilder()
                    .withNewMetadata()
                    .withName(cluster.namespace() + "-" + account)
                    .endMetadata()
                    .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                    .addNewSubject("", "ServiceAccount", account, cluster.namespace())
                    .build());
        }
        var manifests = new Chart("portcullis").render(cluster.namespace());
        var policies =
                cluster
                        .client()
                        .load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
                        .items()
                        .stream()
                        .filter(object -> object.getKind().startsWith("ValidatingAdmissionPolicy"))
                        .toList();
        assertThat(policies).hasSize(4);
        policies.forEach(cluster::apply);
        var probe = new PolicyServerIdentityIT(cluster);
        var unbound = probe.client("servers", null);
        // API servers enforce a new policy with a short delay.
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(catchThrowableOfType(
                            KubernetesClientException.class,
                            () -> unbound.resource(probe.lease("policy-server-probe", ""))
                                    .dryRun()
                                    .create()))
                    .isNotNull();
            var revision = probe.revision("probe");
            assertThat(catchThrowableOfType(
                            KubernetesClientException.class,
                            () -> probe.apply(unbound, revision, "probe", "{leader: {identity: x, term: 1}}")))
                    .isNotNull();
        });
    }

    @AfterAll
    static void close() {
        CLIENTS.forEach(KubernetesClient::close);
    }

    /**
     * Creates a client with a ServiceAccount token.
     *
     * @param pod the pod that the token is bound to; null for none
     */
    private KubernetesClient client(String account, @Nullable String pod) {
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(3600L)
                .endSpec()
                .build();
        if (pod != null) {
            var object = cluster.apply(new PodBuilder()
                    .withNewMetadata()
                    .withName(pod)
                    .withNamespace(cluster.namespace())
                    .endMetadata()
                    .withNewSpec()
                    .withServiceAccountName(account)
                    .addNewContainer()
                    .withName("c")
                    .withImage("example.com/none")
                    .endContainer()
                    .endSpec()
                    .build());
            request = new TokenRequestBuilder(request)
                    .editSpec()
                    .withNewBoundObjectRef(
                            "v1", "Pod", pod, object.getMetadata().getUid())
                    .endSpec()
                    .build();
        }
        var token = cluster.client()
                .serviceAccounts()
                .inNamespace(cluster.namespace())
                .withName(account)
                .tokenRequest(request)
                .getStatus()
                .getToken();
        var admin = cluster.client().getConfiguration();
        var client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                        .withMasterUrl(admin.getMasterUrl())
                        .withCaCertData(admin.getCaCertData())
                        .withCaCertFile(admin.getCaCertFile())
                        .withOauthToken(token)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        CLIENTS.add(client);
        return client;
    }

    private KubernetesClient replica(String server, int ordinal) {
        return client("servers", PolicyServerNames.statefulSet(server) + "-" + ordinal);
    }

    private int created;

    private PolicyRevision revision(String server) {
        var policy = new ClusterAdmissionPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName("p")
                .withUid("uid-" + System.nanoTime() + "-" + ++created)
                .withGeneration(1L)
                .build());
        policy.setSpec(Serialization.unmarshal(
                "---\n{policyServer: %s, module: 'ghcr.io/p:v1', mutating: false, rules: []}".formatted(server),
                ObjectNode.class));
        return cluster.apply(new DesiredRevision(IdentityScheme.DOTTED, cluster.namespace()).of(policy));
    }

    private static String ready(int replica, String status) {
        return """
                {type: Ready, generation: 1, replica: %d, status: "%s", reason: R, message: m, lastTransitionTime: "2026-11-17T10:00:00Z"}""".formatted(replica, status);
    }

    private static String initialized(String status) {
        return """
                {type: Initialized, generation: 1, replica: -1, status: "%s", reason: R, message: m, lastTransitionTime: "2026-11-17T10:00:00Z"}""".formatted(status);
    }

    private static String byLeader(String identity, long term, String status) {
        return "{conditions: [%s], artifacts: [{module: m, digest: '%s', size: 1}], leader: {identity: %s, term: %d, statement: s}}"
                .formatted(initialized(status), DIGEST, identity, term);
    }

    /** Applies one status slot by server-side apply, as policy servers do. */
    private void apply(KubernetesClient client, HasMetadata revision, String manager, String status) {
        var object = new GenericKubernetesResource();
        object.setApiVersion("policies.kubewarden.io/v1");
        object.setKind("PolicyRevision");
        object.setMetadata(new ObjectMetaBuilder()
                .withName(revision.getMetadata().getName())
                .withNamespace(cluster.namespace())
                .build());
        object.setAdditionalProperty("status", Serialization.unmarshal("---\n" + status, Map.class));
        client.genericKubernetesResources(REVISIONS)
                .inNamespace(cluster.namespace())
                .resource(object)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(manager)
                        .withForce(true)
                        .build());
    }

    private static void assertRejected(Runnable write, String message) {
        var refusal = catchThrowableOfType(KubernetesClientException.class, write::run);
        assertThat(refusal).as("the request should have been rejected").isNotNull();
        assertThat(refusal.getCode()).as(refusal.getMessage()).isEqualTo(403);
        assertThat(refusal.getMessage()).contains(message);
    }

    private static void assertAllowed(Runnable write) {
        assertThatCode(write::run).doesNotThrowAnyException();
    }

    @Test
    void replicasWriteTheStatusOfRevisionsOfTheirOwnServer() {
        var revision = revision("a");
        var first = replica("a", 0);
        var second = replica("a", 1);

        assertAllowed(() -> apply(first, revision, "policy-server/leader", byLeader("policy-server-a-0", 1, "True")));
        assertAllowed(
                () -> apply(first, revision, "policy-server/replica-0", "{conditions: [" + ready(0, "True") + "]}"));
        assertAllowed(
                () -> apply(second, revision, "policy-server/replica-1", "{conditions: [" + ready(1, "True") + "]}"));
        assertAllowed(
                () -> apply(first, revision, "policy-server/replica-0", "{conditions: [" + ready(0, "False") + "]}"));
        assertAllowed(() -> apply(second, revision, "policy-server/leader", byLeader("policy-server-a-1", 2, "False")));
        assertAllowed(() -> apply(second, revision, "policy-server/replica-1", "{}"));
    }

    @Test
    void matchesReplicasOfLongServerNamesByTheShortenedName() {
        var revision = revision(LONG);

        assertAllowed(() -> apply(
                replica(LONG, 0), revision, "policy-server/replica-0", "{conditions: [" + ready(0, "True") + "]}"));
        assertRejected(
                () -> apply(
                        replica("a", 0),
                        revision,
                        "policy-server/replica-0",
                        "{conditions: [" + ready(0, "True") + "]}"),
                "belongs to PolicyServer " + LONG);
    }

    @Test
    void rejectsWritesToRevisionsOfOtherServers() {
        var revision = revision("a");
        for (var otherServer : List.of("b", "aa", "a-0")) {
            assertRejected(
                    () -> apply(
                            replica(otherServer, 0),
                            revision,
                            "policy-server/leader",
                            byLeader("policy-server-" + otherServer + "-0", 9, "True")),
                    "this revision belongs to PolicyServer a; the token is of pod policy-server-" + otherServer + "-0");
        }
    }

    @Test
    void rejectsTokensThatAreNotBoundToAPod() {
        assertRejected(
                () -> apply(
                        client("servers", null),
                        revision("a"),
                        "policy-server/replica-0",
                        "{conditions: [" + ready(0, "True") + "]}"),
                "the token is of no pod");
    }

    @Test
    void rejectsWritesToSlotsOfOtherReplicas() {
        var revision = revision("a");
        assertAllowed(() ->
                apply(replica("a", 0), revision, "policy-server/leader", byLeader("policy-server-a-0", 1, "True")));
        assertAllowed(() -> apply(
                replica("a", 0), revision, "policy-server/replica-0", "{conditions: [" + ready(0, "True") + "]}"));
        var second = replica("a", 1);
        var message = "replica 1 may change its own Ready condition only";

        assertRejected(
                () -> apply(second, revision, "policy-server/replica-0", "{conditions: [" + ready(0, "False") + "]}"),
                message);
        assertRejected(() -> apply(second, revision, "policy-server/replica-0", "{}"), message);
        assertRejected(
                () -> apply(second, revision, "policy-server/replica-1", "{conditions: [" + ready(2, "True") + "]}"),
                message);
    }

    @Test
    void rejectsLeaderWritesWithAnotherIdentityOrAnEarlierTerm() {
        var revision = revision("a");
        assertAllowed(() -> apply(
                replica("a", 0), revision, "policy-server/replica-0", "{conditions: [" + ready(0, "True") + "]}"));
        assertAllowed(() ->
                apply(replica("a", 0), revision, "policy-server/leader", byLeader("policy-server-a-0", 5, "True")));
        var second = replica("a", 1);
        var message = "only the leader may change conditions and artifacts of a revision";

        assertRejected(
                () -> apply(second, revision, "policy-server/leader", byLeader("policy-server-a-0", 6, "False")),
                message);
        assertRejected(
                () -> apply(second, revision, "policy-server/leader", byLeader("policy-server-a-1", 4, "False")),
                message);
        assertRejected(() -> apply(second, revision, "policy-server/leader", "{}"), message);
        assertRejected(
                () -> apply(second, revision, "other", "{artifacts: [{module: m, digest: forged, size: 1}]}"), message);
    }

    @Test
    void rejectsWritesToFieldsOfTheController() {
        var revision = revision("a");
        assertRejected(
                () -> apply(replica("a", 0), revision, "policy-server/replica-0", "{readyReplicas: 3, replicas: 3}"),
                "only the controller may change");
        assertRejected(
                () -> replica("a", 0)
                        .resources(PolicyRevision.class)
                        .inNamespace(cluster.namespace())
                        .withName(revision.getMetadata().getName())
                        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"active\": true}}"),
                "status of PolicyRevisions and nothing else");
        assertRejected(
                () -> replica("a", 0)
                        .resources(PolicyRevision.class)
                        .inNamespace(cluster.namespace())
                        .withName(revision.getMetadata().getName())
                        .delete(),
                "status of PolicyRevisions and nothing else");
        assertAllowed(() -> apply(
                client("kubewarden-controller", null),
                revision,
                "kubewarden-controller",
                "{readyReplicas: 3, replicas: 3}"));
    }

    private HasMetadata lease(String name, String holder) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(holder)
                .endSpec()
                .build();
    }

    @Test
    void policyServersHoldOnlyTheirOwnLease() {
        var own = replica("c", 0);
        var otherServer = replica("d", 0);

        assertAllowed(() ->
                own.resource(lease("policy-server-c", "policy-server-c-0")).create());
        assertRejected(
                () -> otherServer
                        .resource(lease("policy-server-c", "policy-server-d-0"))
                        .update(),
                "lease policy-server-c can be held by replicas of its PolicyServer only; the token is of pod policy-server-d-0");
        assertRejected(
                () -> otherServer
                        .resource(lease("policy-server-e", "policy-server-d-0"))
                        .create(),
                "replicas of its PolicyServer only");
        assertRejected(
                () -> otherServer
                        .resource(lease("a4ddbf36.kubewarden.io", "policy-server-d-0"))
                        .create(),
                "replicas of its PolicyServer only");
        assertRejected(
                () -> own.resource(lease("policy-server-c", "policy-server-c-1"))
                        .update(),
                "replicas of its PolicyServer only");
        assertAllowed(() -> own.resource(lease("policy-server-c", "")).update());
        assertAllowed(() -> client("servers", null)
                .resource(lease("of-another-program", "x"))
                .create());
    }
}
