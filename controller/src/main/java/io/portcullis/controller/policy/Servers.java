package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.portcullis.api.lifecycle.ReplicaPod;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.status.Facts.Target;
import io.portcullis.controller.cluster.ClusterView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Policy servers and their replicas, as policies need to know them. To be made before the watches start. */
public final class Servers {

    private final ClusterView view;
    private final String namespace;
    private final Clock clock;
    private final Function<String, List<Pod>> podsByServer;
    /** Since when a replica has had no pod, as far as this process has seen: an object that is not there bears no time. */
    private final Map<Replica, Instant> missingSince = new ConcurrentHashMap<>();

    private record Replica(String server, int ordinal) {}

    public Servers(ClusterView view, String namespace, Clock clock) {
        this.view = view;
        this.namespace = namespace;
        this.clock = clock;
        this.podsByServer = view.pods().indexedBy("server", pod -> List.of(server(pod)));
    }

    static String server(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of())
                .getOrDefault(PolicyServerNames.POD_LABEL, "");
    }

    public Optional<PolicyServer> get(String name) {
        return view.policyServers().get("", name);
    }

    public Target target(String name) {
        if (name.isEmpty()) {
            return new Target.Unnamed();
        }
        var server = get(name);
        if (server.isEmpty()) {
            return new Target.Missing(name);
        }
        if (server.get().isMarkedForDeletion()) {
            return new Target.Deleting(name);
        }
        int replicas = replicas(server.get());
        return new Target.Present(name, replicas, isSettled(name, replicas));
    }

    /** Nobody there will answer for long. */
    boolean isLeaving(String name) {
        return switch (target(name)) {
            case Target.Unnamed _, Target.Missing _, Target.Deleting _ -> true;
            case Target.Present _ -> false;
        };
    }

    private static int replicas(PolicyServer server) {
        return Math.max(0, server.getSpec().path("replicas").asInt(0));
    }

    Optional<Integer> historyLimit(String name) {
        return get(name)
                .map(server -> server.getSpec().path("revisionHistoryLimit"))
                .filter(limit -> limit.canConvertToInt() && limit.asInt() >= 0)
                .map(limit -> limit.asInt());
    }

    /** All replicas run the latest rollout and are ready. */
    private boolean isSettled(String name, int replicas) {
        return view.statefulSets()
                .get(namespace, PolicyServerNames.service(name))
                .filter(workload -> isSettled(workload, replicas))
                .isPresent();
    }

    static boolean isSettled(StatefulSet workload, int replicas) {
        var status = workload.getStatus();
        return status != null
                && Objects.equals(workload.getSpec().getReplicas(), replicas)
                && number(status.getObservedGeneration())
                        >= number(workload.getMetadata().getGeneration())
                && count(status.getReplicas()) == replicas
                && count(status.getReadyReplicas()) == replicas
                && count(status.getUpdatedReplicas()) == replicas;
    }

    private static long number(Long value) {
        return value == null ? 0 : value;
    }

    private static int count(Integer value) {
        return value == null ? 0 : value;
    }

    /** One for each replica that a server should have. */
    List<ReplicaPod> replicas(Target target) {
        return target instanceof Target.Present server
                ? IntStream.range(0, server.replicas())
                        .mapToObj(ordinal -> replica(server.name(), ordinal))
                        .toList()
                : List.of();
    }

    private ReplicaPod replica(String server, int ordinal) {
        var now = clock.instant();
        var key = new Replica(server, ordinal);
        var found = pod(server, ordinal);
        if (found.isEmpty()) {
            var since = missingSince.computeIfAbsent(key, _ -> now);
            return new ReplicaPod(ordinal, Optional.empty(), Optional.of(Duration.between(since, now)));
        }
        missingSince.remove(key);
        var pod = found.get();
        return new ReplicaPod(
                ordinal,
                Optional.of(pod.getMetadata().getUid()),
                notReadySince(pod).map(since -> Duration.between(since, now)));
    }

    private Optional<Pod> pod(String server, int ordinal) {
        return podsByServer.apply(server).stream()
                .filter(pod -> ordinal(pod).equals(OptionalInt.of(ordinal)))
                .findFirst();
    }

    /** A pod of the StatefulSet; others bear the label too while a Deployment is being replaced. */
    public static OptionalInt ordinal(Pod pod) {
        var prefix = PolicyServerNames.service(server(pod)) + "-";
        var name = pod.getMetadata().getName();
        var suffix = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        return suffix.matches("0|[1-9]\\d{0,8}") ? OptionalInt.of(Integer.parseInt(suffix)) : OptionalInt.empty();
    }

    /** Replicas that get traffic. */
    public List<Pod> readyPods(String server) {
        return podsByServer.apply(server).stream()
                .filter(pod -> ordinal(pod).isPresent() && notReadySince(pod).isEmpty())
                .toList();
    }

    /** Absent: it is ready. */
    static Optional<Instant> notReadySince(Pod pod) {
        var metadata = pod.getMetadata();
        var ready = readyCondition(pod);
        if (metadata.getDeletionTimestamp() != null) {
            long patience =
                    metadata.getDeletionGracePeriodSeconds() == null ? 0 : metadata.getDeletionGracePeriodSeconds();
            return Optional.of(Instant.parse(metadata.getDeletionTimestamp()).minusSeconds(patience));
        }
        if (ready.filter(condition -> condition.getStatus().equals("True")).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(Instant.parse(
                ready.map(PodCondition::getLastTransitionTime).orElseGet(metadata::getCreationTimestamp)));
    }

    private static Optional<PodCondition> readyCondition(Pod pod) {
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals("Ready"))
                        .findFirst();
    }
}
