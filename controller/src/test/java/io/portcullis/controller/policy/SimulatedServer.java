package io.portcullis.controller.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A policy server that the test simulates: its objects, its pods, and the reports and answers of its leader and
 * replicas. A level-1 cluster runs no pods.
 */
final class SimulatedServer implements AutoCloseable {

    static final String DIGEST = "sha256:" + "a".repeat(64);
    private static final String TOKEN = "let-me-see";
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final AtomicInteger ADDRESSES = new AtomicInteger(2);
    /** A loopback network for this JVM only, because tests of another JVM may run at the same time. */
    private static final String LOOPBACK = "127.%d.%d."
            .formatted(
                    1 + ProcessHandle.current().pid() / 256 % 254,
                    ProcessHandle.current().pid() % 256);

    private static final int PORT = 18443;

    private final SimulatedInstallation installation;
    private final String name;
    private final SortedMap<Integer, Replica> replicas = new TreeMap<>();
    private OptionalInt historyLimit = OptionalInt.empty();

    /** Faults of a replica that is ready. */
    enum Fault {
        SERVES_NOTHING,
        ENDED,
        HANGS,
        WRONG_CERTIFICATE,
        ANOTHER_POD,
        FAILS
    }

    /** One pod. */
    static final class Replica {
        final Pod pod;
        volatile HttpsServer https;
        volatile @Nullable Fault fault;
        final Map<String, ServedGeneration> served = new ConcurrentHashMap<>();

        Replica(Pod pod, HttpsServer https) {
            this.pod = pod;
            this.https = https;
        }

        String uid() {
            return pod.getMetadata().getUid();
        }
    }

    SimulatedServer(SimulatedInstallation installation, String name) {
        this.installation = installation;
        this.name = name;
    }

    String name() {
        return name;
    }

    private String objectName() {
        return "policy-server-" + name;
    }

    // Actions of Kubernetes and of the PolicyServer reconciler.

    /** Creates or changes the server, and starts or stops its pods. */
    void scale(int count) {
        declare(count);
        while (replicas.size() < count) {
            startPod(replicas.size());
        }
        while (replicas.size() > count) {
            stopPod(replicas.lastKey());
        }
        settle();
    }

    /** Sets {@code revisionHistoryLimit} of the resource that {@link #declare} applies. */
    SimulatedServer keepRevisions(int limit) {
        historyLimit = OptionalInt.of(limit);
        return this;
    }

    /** Applies only the resource, without pods. */
    void declare(int count) {
        var server = new PolicyServer();
        server.setMetadata(new ObjectMetaBuilder().withName(name).build());
        server.getSpec().put("image", "none").put("replicas", count).put("webhookPort", PORT);
        historyLimit.ifPresent(limit -> server.getSpec().put("revisionHistoryLimit", limit));
        installation.client().resource(server).forceConflicts().serverSideApply();
        installation
                .client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(objectName())
                        .withNamespace(installation.namespace())
                        .endMetadata()
                        .addToData(
                                Evidence.TOKEN_KEY,
                                Base64.getEncoder().encodeToString(TOKEN.getBytes(StandardCharsets.UTF_8)))
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    /** Changes the Secret, which makes the controller probe the replicas at once. */
    void triggerProbe() {
        installation
                .client()
                .secrets()
                .inNamespace(installation.namespace())
                .withName(objectName())
                .edit(secret -> new SecretBuilder(secret)
                        .editMetadata()
                        .addToAnnotations("nudged", Instant.now().toString())
                        .endMetadata()
                        .build());
    }

    void delete() {
        installation.client().resources(PolicyServer.class).withName(name).delete();
    }

    /** Sets the status of the workload to fully ready. */
    void settle() {
        settle(replicas.size());
    }

    void settle(int ready) {
        var set = new StatefulSetBuilder()
                .withNewMetadata()
                .withName(objectName())
                .withNamespace(installation.namespace())
                .addToLabels("kubewarden/policy-server", name)
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas.size())
                .withServiceName(objectName())
                .withNewSelector()
                .addToMatchLabels("kubewarden/policy-server", name)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("kubewarden/policy-server", name)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("none")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
        var stored = installation.client().resource(set).forceConflicts().serverSideApply();
        installation
                .client()
                .resource(new StatefulSetBuilder(stored)
                        .withNewStatus()
                        .withObservedGeneration(stored.getMetadata().getGeneration())
                        .withReplicas(replicas.size())
                        .withReadyReplicas(ready)
                        .withUpdatedReplicas(ready)
                        .endStatus()
                        .build())
                .updateStatus();
    }

    void startPod(int ordinal) {
        var address = LOOPBACK + ADDRESSES.getAndIncrement();
        var pod = installation
                .client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(objectName() + "-" + ordinal)
                        .withNamespace(installation.namespace())
                        .addToLabels("kubewarden/policy-server", name)
                        .endMetadata()
                        .withNewSpec()
                        .withTerminationGracePeriodSeconds(0L)
                        .addNewContainer()
                        .withName("main")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        var replica = new Replica(pod, listen(address, installation.certificate()));
        startServer(replica, ordinal);
        replicas.put(ordinal, replica);
        setReady(ordinal, address, true);
    }

    void stopPod(int ordinal) {
        var replica = Objects.requireNonNull(replicas.remove(ordinal));
        replica.https.stop(0);
        installation.client().resource(replica.pod).withGracePeriod(0).delete();
    }

    void setReady(int ordinal, boolean ready) {
        setReady(ordinal, replica(ordinal).https.getAddress().getAddress().getHostAddress(), ready);
    }

    private void setReady(int ordinal, String address, boolean ready) {
        installation
                .client()
                .resource(replica(ordinal).pod)
                .editStatus(pod -> new PodBuilder(pod)
                        .withNewStatus()
                        .withPhase("Running")
                        .withPodIP(address)
                        .addNewPodIP(address)
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus(ready ? "True" : "False")
                        .withLastTransitionTime(Instant.now().toString())
                        .endCondition()
                        .endStatus()
                        .build());
    }

    Replica replica(int ordinal) {
        return Objects.requireNonNull(replicas.get(ordinal), () -> "no replica " + ordinal);
    }

    private static void startServer(Replica replica, int ordinal) {
        replica.https.createContext(Evidence.PATH, exchange -> answer(exchange, ordinal, replica));
        replica.https.start();
    }

    /** Sets a fault on a replica that Kubernetes still reports as ready; null removes the fault. */
    void setFault(int ordinal, @Nullable Fault fault) {
        var replica = replica(ordinal);
        boolean needsRestart = replica.fault == Fault.ENDED || replica.fault == Fault.WRONG_CERTIFICATE;
        boolean changesServer = fault == Fault.ENDED || fault == Fault.WRONG_CERTIFICATE;
        replica.fault = fault;
        if (needsRestart || changesServer) {
            var address = replica.https.getAddress().getAddress().getHostAddress();
            replica.https.stop(0);
            if (fault != Fault.ENDED) {
                var certificate = fault == Fault.WRONG_CERTIFICATE
                        ? ServingCertificate.forNames(objectName() + "." + installation.namespace() + ".svc")
                        : installation.certificate();
                replica.https = listen(address, certificate);
                startServer(replica, ordinal);
            }
        }
    }

    // Actions of the processes in the pods.

    private static HttpsServer listen(String address, ServingCertificate certificate) {
        try {
            var server = HttpsServer.create(new InetSocketAddress(address, PORT), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(certificate.sslContext()));
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address, e);
        }
    }

    private static void answer(HttpExchange exchange, int ordinal, Replica replica) throws IOException {
        try (exchange) {
            if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            var fault = replica.fault;
            if (fault == Fault.HANGS) {
                Thread.sleep(Duration.ofSeconds(20));
            }
            var body = new Evidence(
                            fault == Fault.ANOTHER_POD ? "another" : replica.uid(),
                            ordinal,
                            fault == Fault.SERVES_NOTHING ? List.of() : List.copyOf(replica.served.values()))
                    .write();
            exchange.sendResponseHeaders(fault == Fault.FAILS ? 500 : 200, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<PolicyRevision> revisions() {
        return installation
                .client()
                .resources(PolicyRevision.class)
                .inNamespace(installation.namespace())
                .withLabel("kubewarden.io/policy-server", name)
                .list()
                .getItems();
    }

    /** Does the next step of a healthy server. */
    void runStep() {
        for (PolicyRevision revision : revisions()) {
            try {
                if (!revision.getSpec().enabled()) {
                    unload(revision);
                } else if (condition(revision, ConditionType.INITIALIZED, -1) == null) {
                    initialize(revision);
                } else {
                    load(revision);
                }
            } catch (KubernetesClientException e) {
                if (e.getCode() != 404 && e.getCode() != 409) {
                    throw e; // 404 and 409: deleted or changed meanwhile; the next step retries
                }
            }
        }
    }

    void initialize(PolicyRevision revision) {
        lead(revision, Reason.POLICY_INITIALIZED, "The policy was successfully initialized.");
    }

    /** Writes the leader's report with the given result for a revision. */
    void lead(PolicyRevision revision, Reason reason, String message) {
        long generation = revision.getSpec().policyGeneration();
        var status = conditions(
                revision,
                Condition.ofGeneration(
                        ConditionType.SCHEDULED,
                        generation,
                        Reason.POLICY_SCHEDULED.status(),
                        Reason.POLICY_SCHEDULED,
                        "The policy was scheduled by the PolicyServer."),
                Condition.ofGeneration(ConditionType.INITIALIZED, generation, reason.status(), reason, message));
        if (reason == Reason.POLICY_INITIALIZED) {
            var artifacts = status.putArray("artifacts");
            artifacts.addObject().put("module", "none").put("digest", DIGEST).put("size", 1);
        }
        apply(revision, RevisionSlots.LEADER, status);
    }

    private void load(PolicyRevision revision) {
        replicas.forEach((ordinal, replica) -> {
            var condition = condition(revision, ConditionType.READY, ordinal);
            boolean isReported =
                    condition != null && condition.isTrue() && replica.uid().equals(condition.reporterUID());
            if (!isReported) {
                report(revision, ordinal, Reason.POLICY_READY, "The policy is ready to be used.");
            }
        });
    }

    /** Writes the report of a replica. A replica that reports Ready also serves the revision. */
    void report(PolicyRevision revision, int ordinal, Reason reason, String message) {
        var replica = replica(ordinal);
        if (reason == Reason.POLICY_READY) {
            replica.served.put(revision.getMetadata().getName(), ServedGeneration.of(revision, Map.of("", DIGEST)));
        }
        apply(
                revision,
                RevisionSlots.replica(ordinal),
                conditions(
                        revision,
                        Condition.ofReplica(
                                        revision.getSpec().policyGeneration(),
                                        ordinal,
                                        reason.status(),
                                        reason,
                                        message)
                                .reportedBy(replica.uid())));
    }

    private void unload(PolicyRevision revision) {
        replicas.forEach((ordinal, replica) -> {
            replica.served.remove(revision.getMetadata().getName());
            if (condition(revision, ConditionType.READY, ordinal) != null) {
                apply(revision, RevisionSlots.replica(ordinal), MAPPER.createObjectNode());
            }
        });
    }

    static @Nullable Condition condition(PolicyRevision revision, ConditionType type, int replica) {
        return revision.statusOrEmpty().conditions().stream()
                .filter(condition -> condition.type().equals(type.wireName()) && condition.replica() == replica)
                .findFirst()
                .orElse(null);
    }

    private static ObjectNode conditions(PolicyRevision revision, Condition... conditions) {
        var status = MAPPER.createObjectNode();
        var before = revision.statusOrEmpty().conditions();
        JsonNode stamped = MAPPER.valueToTree(Transitions.stamp(List.of(conditions), before, Instant.now()));
        status.set("conditions", stamped);
        return status;
    }

    private void apply(PolicyRevision revision, String slot, ObjectNode status) {
        var body = MAPPER.createObjectNode();
        body.put("apiVersion", revision.getApiVersion()).put("kind", revision.getKind());
        body.putObject("metadata").put("name", revision.getMetadata().getName());
        body.set("status", status);
        installation
                .client()
                .resource(revision)
                .subresource("status")
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                .withFieldManager(slot)
                                .withForce(true)
                                .build(),
                        body.toString());
    }

    List<Replica> all() {
        return new ArrayList<>(replicas.values());
    }

    @Override
    public void close() {
        replicas.values().forEach(replica -> replica.https.stop(0));
    }
}
