package io.portcullis.lifecycle;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An installation with a namespace that policies watch, and the few things that every story of the lifecycle does: start
 * servers, create policies, wait for what their status says.
 */
final class Stage implements AutoCloseable {

    static final Duration LIMIT = Duration.ofMinutes(4);

    private final TestCluster cluster;
    private final Installation installation;
    private final Policies policies;
    private final String watched;
    private final String module;

    private Stage(TestCluster cluster, Installation installation, String watched) {
        this.cluster = cluster;
        this.installation = installation;
        this.policies = new Policies(cluster.client());
        this.watched = watched;
        this.module = installation.push("privileged-pods", "v1");
    }

    /**
     * Installs.
     *
     * @param watched where pods are asked for
     * @param settings of the chart, {@code key=value}
     */
    static Stage open(TestCluster cluster, Path directory, String watched, String... settings) {
        makeNamespace(cluster, watched);
        return new Stage(cluster, Installation.start(cluster, directory, List.of(settings)), watched);
    }

    private static void makeNamespace(TestCluster cluster, String name) {
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .build());
        // A cluster without nodes has no controller that creates it, and the API server refuses pods without it.
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(name)
                .endMetadata()
                .build());
    }

    /** Makes another namespace, and asks for pods there. */
    Requests namespace(String name) {
        makeNamespace(cluster, name);
        return installation.requests(name);
    }

    Installation installation() {
        return installation;
    }

    KubernetesClient client() {
        return cluster.client();
    }

    Policies policies() {
        return policies;
    }

    /** A policy against privileged pods, in the registry. */
    String module() {
        return module;
    }

    Requests requests() {
        return installation.requests(watched);
    }

    /** Creates it and waits until all its replicas are ready. */
    void startServer(PolicyServer server) {
        client().resource(server).create();
        awaitReady(
                server.getMetadata().getName(),
                server.getSpec().path("replicas").asInt());
    }

    void awaitReady(String server, int replicas) {
        await("replicas of " + server).atMost(LIMIT).until(() -> {
            var pods = pods(server);
            return pods.size() == replicas && pods.stream().allMatch(HostPod::isReady);
        });
    }

    List<HostPod> pods(String server) {
        return installation.pods().all().stream()
                .filter(pod -> pod.name().matches("policy-server-" + server + "-\\d+"))
                .toList();
    }

    /** How often containers of a server were started again. */
    int restarts(String server) {
        return pods(server).stream().mapToInt(HostPod::restarts).sum();
    }

    /** All at once, since each waits for its own webhooks and replicas. */
    void removeServers(String... servers) {
        var resources = Stream.of(servers)
                .map(server -> client().resources(PolicyServer.class).withName(server))
                .toList();
        resources.forEach(Resource::delete);
        await("servers gone: " + List.of(servers))
                .atMost(LIMIT)
                .until(() -> resources.stream().allMatch(resource -> resource.get() == null));
    }

    void create(String policy, String server, String message) {
        create(policy, server, module, message);
    }

    void create(String policy, String server, String url, String message) {
        client().resource(Policies.patient(Policies.privilegedPods(policy, server, url, message, watched)))
                .create();
    }

    void remove(String policy) {
        policies.get(policy).delete();
        await("policy " + policy + " gone")
                .atMost(LIMIT)
                .until(() -> policies.get(policy).get() == null);
    }

    ClusterAdmissionPolicy awaitPolicy(String name, Predicate<ClusterAdmissionPolicy> condition) {
        return cluster.await(policies.get(name), policy -> policy.getStatus() != null && condition.test(policy), LIMIT);
    }

    ClusterAdmissionPolicy awaitEnforced(String name, long generation) {
        return awaitPolicy(
                name, policy -> isEnforced(policy) && policy.getMetadata().getGeneration() == generation);
    }

    /** The latest generation, on every replica, in the API server: all of it says so. */
    static boolean isEnforced(Policy policy) {
        var status = policy.getStatus();
        return status != null
                && status.policyStatus() == PolicyState.ACTIVE
                && policy.getMetadata().getGeneration().equals(status.observedGeneration())
                && status.condition(ConditionType.ENFORCED)
                        .filter(Condition::isTrue)
                        .isPresent();
    }

    static PolicyStatus status(Policy policy) {
        return Objects.requireNonNull(policy.getStatus(), "no status yet");
    }

    /** The newest revision of a policy is the last. */
    List<PolicyRevision> revisions(Policy policy) {
        return client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .withLabel(RevisionNames.POLICY_UID, policy.getMetadata().getUid())
                .list()
                .getItems()
                .stream()
                .sorted((one, two) -> Long.compare(
                        one.getSpec().policyGeneration(), two.getSpec().policyGeneration()))
                .toList();
    }

    PolicyRevision revision(Policy policy, long generation) {
        return revisions(policy).stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation)
                .findFirst()
                .orElseThrow();
    }

    @Nullable
    ValidatingWebhookConfiguration webhook(String policyId) {
        return client().admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName(policyId)
                .get();
    }

    String webhookPath(String policy) {
        return Objects.requireNonNull(webhook("kw.cap." + policy), "no webhook")
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getService()
                .getPath();
    }

    @Override
    public void close() {
        installation.close();
    }
}
