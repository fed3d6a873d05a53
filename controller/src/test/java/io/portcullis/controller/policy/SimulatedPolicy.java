package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A policy and the objects that the controller creates for it. */
final class SimulatedPolicy {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final SimulatedInstallation installation;
    private final Policy created;
    private List<SimulatedServer> servers;

    private SimulatedPolicy(SimulatedInstallation installation, Policy policy, SimulatedServer server) {
        this.installation = installation;
        this.created = installation.client().resource(policy).create();
        this.servers = List.of(server);
    }

    static SimulatedPolicy create(SimulatedInstallation installation, String name, SimulatedServer server) {
        return create(installation, name, server, _ -> {});
    }

    static SimulatedPolicy create(
            SimulatedInstallation installation, String name, SimulatedServer server, Consumer<ObjectNode> change) {
        return new SimulatedPolicy(installation, single(new ClusterAdmissionPolicy(), name, server, change), server);
    }

    static SimulatedPolicy active(SimulatedInstallation installation, String name, SimulatedServer server) {
        var policy = create(installation, name, server);
        policy.awaitActive(1);
        return policy;
    }

    static SimulatedPolicy namespaced(SimulatedInstallation installation, String name, SimulatedServer server) {
        return namespaced(installation, installation.namespace(), name, server, _ -> {});
    }

    static SimulatedPolicy namespaced(
            SimulatedInstallation installation,
            String namespace,
            String name,
            SimulatedServer server,
            Consumer<ObjectNode> change) {
        var policy = single(new AdmissionPolicy(), name, server, change);
        policy.getMetadata().setNamespace(namespace);
        return new SimulatedPolicy(installation, policy, server);
    }

    static SimulatedPolicy group(SimulatedInstallation installation, String name, SimulatedServer server) {
        return new SimulatedPolicy(installation, group(new ClusterAdmissionPolicyGroup(), name, server), server);
    }

    /** Creates a policy of any kind; a namespaced one in the namespace of the controller. */
    static SimulatedPolicy ofKind(
            PolicyKind kind, SimulatedInstallation installation, String name, SimulatedServer server) {
        Policy policy = switch (kind) {
            case ADMISSION_POLICY -> single(new AdmissionPolicy(), name, server, _ -> {});
            case CLUSTER_ADMISSION_POLICY -> single(new ClusterAdmissionPolicy(), name, server, _ -> {});
            case ADMISSION_POLICY_GROUP -> group(new AdmissionPolicyGroup(), name, server);
            case CLUSTER_ADMISSION_POLICY_GROUP -> group(new ClusterAdmissionPolicyGroup(), name, server);
        };
        if (kind.isNamespaced()) {
            policy.getMetadata().setNamespace(installation.namespace());
        }
        return new SimulatedPolicy(installation, policy, server);
    }

    private static <P extends Policy> P group(P policy, String name, SimulatedServer server) {
        policy.setMetadata(new ObjectMetaBuilder().withName(name).build());
        policy.getSpec()
                .put("policyServer", server.name())
                .put("expression", "one()")
                .put("message", "no")
                .putObject("policies")
                .putObject("one")
                .put("module", "registry://example/one:v1");
        rules(policy.getSpec());
        return policy;
    }

    private static <P extends Policy> P single(
            P policy, String name, SimulatedServer server, Consumer<ObjectNode> change) {
        policy.setMetadata(new ObjectMetaBuilder().withName(name).build());
        policy.getSpec()
                .put("policyServer", server.name())
                .put("module", "registry://example/" + name + ":v1")
                .put("mutating", false);
        rules(policy.getSpec());
        change.accept(policy.getSpec());
        return policy;
    }

    /** Adds a rule for a resource that does not exist in the test cluster, so that no request matches. */
    private static void rules(ObjectNode spec) {
        var rule = spec.putArray("rules").addObject();
        rule.putArray("apiGroups").add("nothing.example.com");
        rule.putArray("apiVersions").add("v1");
        rule.putArray("resources").add("things");
        rule.putArray("operations").add("CREATE");
    }

    SimulatedPolicy servedBy(SimulatedServer... simulated) {
        servers = List.of(simulated);
        return this;
    }

    private Resource<Policy> resource() {
        return installation.client().resource(created);
    }

    Policy get() {
        return Objects.requireNonNull(resource().get(), "the policy is gone");
    }

    boolean isGone() {
        return resource().get() == null;
    }

    String id() {
        return installation.scheme().policyId(created.ref());
    }

    // Actions of the author of the policy.

    void edit(Consumer<ObjectNode> change) {
        Awaitility.await().ignoreExceptions().atMost(LIMIT).until(() -> {
            var policy = get();
            change.accept(policy.getSpec());
            installation.client().resource(policy).update();
            return true;
        });
    }

    void annotate(String name, String value) {
        annotations(annotations -> annotations.put(name, value));
    }

    void annotations(Consumer<Map<String, String>> change) {
        Awaitility.await().ignoreExceptions().atMost(LIMIT).until(() -> {
            var policy = get();
            var annotations = new HashMap<String, String>();
            Optional.ofNullable(policy.getMetadata().getAnnotations()).ifPresent(annotations::putAll);
            change.accept(annotations);
            policy.getMetadata().setAnnotations(annotations);
            installation.client().resource(policy).update();
            return true;
        });
    }

    void delete() {
        resource().delete();
    }

    // Observed state.

    List<PolicyRevision> revisions() {
        return installation
                .client()
                .resources(PolicyRevision.class)
                .inNamespace(installation.namespace())
                .withLabel("kubewarden.io/policy-uid", created.getMetadata().getUid())
                .list()
                .getItems();
    }

    Optional<PolicyRevision> findRevision(long generation) {
        return revisions().stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation)
                .findFirst();
    }

    PolicyRevision revision(long generation) {
        return findRevision(generation).orElseThrow();
    }

    PolicyRevision awaitRevision(long generation) {
        return awaitRevision(generation, _ -> true);
    }

    PolicyRevision awaitRevision(long generation, Predicate<PolicyRevision> condition) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(() -> findRevision(generation).filter(condition), Optional::isPresent)
                .orElseThrow();
    }

    PolicyStatus await(Predicate<PolicyStatus> condition) {
        return await(condition, LIMIT);
    }

    PolicyStatus await(Predicate<PolicyStatus> condition, Duration limit) {
        return awaitWithServers(condition, List.of(), limit);
    }

    /** Waits for a condition while the simulated servers run. */
    PolicyStatus awaitWithServers(Predicate<PolicyStatus> condition) {
        return awaitWithServers(condition, LIMIT);
    }

    PolicyStatus awaitWithServers(Predicate<PolicyStatus> condition, Duration limit) {
        return awaitWithServers(condition, servers, limit);
    }

    /** Passes every status from now on to the listener. */
    Watch watch(Consumer<PolicyStatus> listener) {
        return resource().watch(new Watcher<Policy>() {
            @Override
            public void eventReceived(Action action, Policy policy) {
                Optional.ofNullable(policy.getStatus()).ifPresent(listener);
            }

            @Override
            public void onClose(WatcherException cause) {
                // The test then times out.
            }
        });
    }

    PolicyStatus awaitActive(long generation) {
        var status = awaitWithServers(candidate ->
                candidate.policyStatus() == PolicyState.ACTIVE && candidate.activeGeneration() == generation);
        assertThat(status.phase()).isEqualTo(Phase.ACTIVE);
        return status;
    }

    void awaitPhase(Phase phase) {
        await(status -> status.phase() == phase);
    }

    private PolicyStatus awaitWithServers(
            Predicate<PolicyStatus> condition, List<SimulatedServer> simulated, Duration limit) {
        return Awaitility.await()
                .alias(created.getMetadata().getName())
                .pollInterval(Duration.ofMillis(50))
                .atMost(limit)
                .until(
                        () -> {
                            simulated.forEach(SimulatedServer::runStep);
                            return Optional.ofNullable(get().getStatus());
                        },
                        status -> status.filter(condition).isPresent())
                .orElseThrow();
    }

    List<LiveWebhook> webhooks() {
        var registration = installation.client().admissionRegistration().v1();
        return Stream.<HasMetadata>concat(
                        Stream.ofNullable(registration
                                .validatingWebhookConfigurations()
                                .withName(id())
                                .get()),
                        Stream.ofNullable(registration
                                .mutatingWebhookConfigurations()
                                .withName(id())
                                .get()))
                .map(LiveWebhook::new)
                .toList();
    }

    Optional<LiveWebhook> webhook() {
        return webhooks().stream().findFirst();
    }

    void awaitEvents(String... reasons) {
        var namespace = Objects.requireNonNullElse(created.getMetadata().getNamespace(), "default");
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(installation
                                .client()
                                .v1()
                                .events()
                                .inNamespace(namespace)
                                .withField(
                                        "involvedObject.uid",
                                        created.getMetadata().getUid())
                                .list()
                                .getItems())
                        .extracting(Event::getReason)
                        .contains(reasons));
    }
}
