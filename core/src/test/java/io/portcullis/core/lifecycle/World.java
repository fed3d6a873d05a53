package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.lifecycle.Observed.PolicyView;
import io.portcullis.core.lifecycle.Observed.Timing;
import io.portcullis.core.lifecycle.Observed.WebhookView;
import io.portcullis.core.status.Facts;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.Facts.Target;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.core.status.StatusDerivation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An in-memory cluster with one policy, in which tests execute plans. It replaces the API server in unit tests. */
final class World {

    static final Duration DRAIN = Duration.ofSeconds(30);
    static final Duration GRACE = Duration.ofSeconds(60);
    static final int HISTORY = 2;

    /** A policy server and its pods. */
    static final class Server {
        int replicas;
        boolean deleting;
        boolean settled = true;
        boolean hasPredecessor;
        final SortedMap<Integer, Pod> pods = new TreeMap<>();
    }

    /** A replica and the generations that it has loaded. */
    static final class Pod {
        String uid = "";
        Optional<Instant> downSince = Optional.empty();
        final Set<Long> loaded = new HashSet<>();
    }

    /** A stored revision. */
    static final class Stored {
        long generation;
        String server = "";
        boolean enabled = true;
        boolean active;
        boolean activated;
        Optional<Instant> disableAfter = Optional.empty();
        Optional<Instant> deleteAfter = Optional.empty();
        final Map<Condition.Key, Condition> conditions = new HashMap<>();

        String name() {
            return "revision " + generation;
        }

        Revision view() {
            return new Revision(
                    name(),
                    generation,
                    new Revision.Switches(enabled, active, disableAfter, deleteAfter),
                    activated,
                    PolicyMode.PROTECT,
                    RolloutProgress.of(generation, List.copyOf(conditions.values())));
        }
    }

    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    long generation;
    String policyServer = "";
    boolean deleting;
    boolean finalizer;
    boolean conflicted;
    boolean suspended;
    boolean webhookExists;
    boolean webhookIntact;
    long webhookGeneration;
    String webhookServer = "";
    final SortedMap<String, Server> servers = new TreeMap<>();
    final SortedMap<Long, Stored> revisions = new TreeMap<>();

    @Nullable
    PolicyStatus status;

    private int uids;

    Pod newPod() {
        var pod = new Pod();
        pod.uid = "pod-" + ++uids;
        return pod;
    }

    void scale(Server server, int replicas) {
        server.replicas = replicas;
        for (int r = 0; r < replicas; r++) {
            server.pods.computeIfAbsent(r, _ -> newPod());
        }
        server.pods.tailMap(replicas).clear();
    }

    Optional<Server> server() {
        return Optional.ofNullable(servers.get(policyServer));
    }

    Server server(String name) {
        return Objects.requireNonNull(servers.get(name), name);
    }

    Pod pod(String server, int replica) {
        return Objects.requireNonNull(server(server).pods.get(replica), server);
    }

    Stored revision(long number) {
        return Objects.requireNonNull(revisions.get(number), () -> "there is no revision of generation " + number);
    }

    Stored latest() {
        return revision(generation);
    }

    void report(Stored revision, Condition condition) {
        revision.conditions.put(condition.key(), condition);
    }

    void leaderReports(Stored revision, ConditionType type, Reason reason, String message) {
        report(revision, Condition.ofGeneration(type, revision.generation, reason.status(), reason, message));
    }

    void replicaReports(Stored revision, int replica, Reason reason, String message) {
        var pod = pod(revision.server, replica);
        if (reason == Reason.POLICY_READY) {
            pod.loaded.add(revision.generation);
        }
        report(
                revision,
                Condition.ofReplica(revision.generation, replica, reason.status(), reason, message)
                        .reportedBy(pod.uid));
    }

    // The part of the controller: observe, plan, execute.

    Target target() {
        if (policyServer.isEmpty()) {
            return new Target.Unnamed();
        }
        return server().<Target>map(server -> server.deleting
                        ? new Target.Deleting(policyServer)
                        : new Target.Present(
                                policyServer,
                                server.replicas,
                                server.settled
                                        && server.pods.values().stream().allMatch(pod -> pod.downSince.isEmpty())))
                .orElseGet(() -> new Target.Missing(policyServer));
    }

    List<ReplicaPod> pods() {
        return server().map(server -> server.pods.entrySet().stream()
                        .map(entry -> new ReplicaPod(
                                entry.getKey(),
                                Optional.of(entry.getValue().uid),
                                entry.getValue().downSince.map(since -> Duration.between(since, now))))
                        .toList())
                .orElse(List.of());
    }

    Observed observed() {
        return new Observed(
                new PolicyView(generation, deleting, finalizer, conflicted, suspended, false),
                target(),
                revisions.values().stream().map(Stored::view).toList(),
                webhookExists ? new WebhookView(true, webhookGeneration, webhookIntact) : WebhookView.ABSENT,
                pods(),
                server().filter(server -> server.hasPredecessor).isPresent(),
                new Timing(now, DRAIN, GRACE, HISTORY));
    }

    /** Runs the controller until its plan is empty. Returns the executed steps. */
    List<Step> settle() {
        var done = new ArrayList<Step>();
        for (int pass = 0; pass < 20; pass++) {
            var steps = PolicyPlan.of(observed()).steps();
            if (steps.isEmpty()) {
                correctReports();
                status = StatusDerivation.derive(facts());
                return done;
            }
            steps.forEach(this::apply);
            done.addAll(steps);
        }
        throw new AssertionError("the controller does not converge: " + done);
    }

    void apply(Step step) {
        switch (step) {
            case Step.CreateRevision create -> {
                var stored = new Stored();
                stored.generation = create.generation();
                stored.server = policyServer;
                waitForServer(stored);
                revisions.put(create.generation(), stored);
            }
            case Step.Enable enable -> {
                var stored = stored(enable.revision());
                stored.enabled = true;
                stored.disableAfter = Optional.empty();
                if (stored.conditions.isEmpty()) {
                    waitForServer(stored);
                }
            }
            case Step.Disable disable -> {
                var stored = stored(disable.revision());
                stored.enabled = false;
                stored.active = false;
                stored.disableAfter = Optional.empty();
                unload(stored);
            }
            case Step.Activate activate -> {
                stored(activate.revision()).active = true;
                stored(activate.revision()).activated = true;
            }
            case Step.Drain drain -> stored(drain.revision()).disableAfter = Optional.of(drain.until());
            case Step.AddFinalizer _ -> finalizer = true;
            case Step.RemoveFinalizer _ -> finalizer = false;
            case Step.Register register -> {
                webhookExists = true;
                webhookIntact = true;
                webhookGeneration = stored(register.revision()).generation;
                webhookServer = stored(register.revision()).server;
            }
            case Step.Unregister _ -> {
                webhookExists = false;
                webhookGeneration = 0;
            }
            case Step.Expire expire -> stored(expire.revision()).deleteAfter = Optional.of(expire.at());
            case Step.DeleteRevision delete -> revisions.remove(stored(delete.revision()).generation);
        }
    }

    private void waitForServer(Stored stored) {
        leaderReports(
                stored, ConditionType.SCHEDULED, Reason.WAITING_FOR_POLICY_SERVER, Messages.WAITING_FOR_POLICY_SERVER);
    }

    private void unload(Stored stored) {
        stored.conditions.clear();
        servers.values().forEach(server -> server.pods.values().forEach(pod -> pod.loaded.remove(stored.generation)));
    }

    private void correctReports() {
        for (Stored stored : revisions.values()) {
            if (!stored.server.equals(policyServer)) {
                continue;
            }
            for (ReplicaReports.Correction correction : ReplicaReports.corrections(stored.view(), pods())) {
                switch (correction) {
                    case ReplicaReports.Correction.Unknown unknown ->
                        report(
                                stored,
                                Condition.ofReplica(
                                        stored.generation,
                                        unknown.replica(),
                                        ConditionStatus.UNKNOWN,
                                        unknown.reason(),
                                        ""));
                    case ReplicaReports.Correction.Remove remove ->
                        stored.conditions.remove(
                                new Condition.Key(ConditionType.READY.wireName(), stored.generation, remove.replica()));
                }
            }
        }
    }

    private Stored stored(String name) {
        return revisions.values().stream()
                .filter(stored -> stored.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Facts facts() {
        var wanted = revisions.containsKey(generation) ? latest().view().progress() : RolloutProgress.none(generation);
        var served = revisions.get(webhookGeneration);
        Registration registration = webhookExists
                ? new Registration.Registered(
                        served == null
                                ? RolloutProgress.none(webhookGeneration)
                                : served.view().progress(),
                        webhookServer,
                        PolicyMode.PROTECT,
                        webhookIntact ? new Fidelity.Exact() : new Fidelity.Drifted("rules"),
                        Optional.empty())
                : new Registration.Absent(Optional.empty());
        return new Facts(
                new Subject("ClusterAdmissionPolicy", generation, List.of()),
                target(),
                wanted,
                registration,
                endpoints(),
                new Precedence(
                        conflicted ? List.of("older (ClusterAdmissionPolicyGroup)") : List.of(),
                        suspended
                                ? new Overriding.Wholly(List.of("boss (ClusterAdmissionPolicy)"))
                                : new Overriding.None(),
                        Optional.of(List.of())),
                List.of());
    }

    /** Returns the pods that receive traffic. A pod that has not loaded an active revision is not ready. */
    List<Pod> endpointPods() {
        var server = servers.get(webhookServer);
        if (server == null) {
            return List.of();
        }
        return server.pods.values().stream()
                .filter(pod -> pod.downSince.isEmpty())
                .filter(pod -> revisions.values().stream()
                        .filter(stored -> stored.active && stored.enabled && stored.server.equals(webhookServer))
                        .allMatch(stored -> pod.loaded.contains(stored.generation)))
                .toList();
    }

    private List<Endpoint> endpoints() {
        return endpointPods().stream()
                .map(pod -> new Endpoint(pod.uid, new Probe.Answered(Set.copyOf(pod.loaded), Duration.ofSeconds(1))))
                .toList();
    }
}
