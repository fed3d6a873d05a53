package io.portcullis.controller.policy.objects;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.core.lifecycle.ReplicaPod;
import io.portcullis.core.status.Facts.Target;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Policy servers and their replicas, as policies need them. Must be created before the watches start. */
public final class Servers {

    private static final Duration LEADER_CHANGE_TIME = Duration.ofSeconds(30);
    private static final Pattern ORDINAL = Pattern.compile("0|[1-9]\\d{0,8}");

    private final ClusterView view;
    private final String namespace;
    private final Clock clock;
    private final Function<String, List<Pod>> podsByServer;
    /** Since when a replica has had no pod, as observed by this process: a missing object has no timestamp. */
    private final Map<Replica, Instant> missingSince = new ConcurrentHashMap<>();

    private record Replica(String server, int ordinal) {}

    public Servers(ClusterView view, String namespace, Clock clock) {
        this.view = view;
        this.namespace = namespace;
        this.clock = clock;
        this.podsByServer = view.pods().indexedBy("server", pod -> List.of(server(pod)));
    }

    /** The PolicyServer that a pod belongs to; empty for none. */
    public static String server(Pod pod) {
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
        int replicas = replicas(server.get(), workload(name));
        return new Target.Present(name, replicas, isSettled(name, replicas));
    }

    /** Whether the Deployment of an earlier release still exists; its pods do not support generations. */
    public boolean hasPredecessor(String name) {
        return view.deployments()
                .get(namespace, PolicyServerNames.service(name))
                .isPresent();
    }

    /** Whether the server has, or will soon have, no replicas to answer requests. */
    public boolean isGoingAway(String name) {
        return switch (target(name)) {
            case Target.Unnamed _, Target.Missing _, Target.Deleting _, Target.Uninstalled _ -> true;
            case Target.Present server -> server.replicas() == 0;
        };
    }

    private static int wanted(PolicyServer server) {
        return Math.max(0, server.getSpec().path("replicas").asInt(0));
    }

    /**
     * The number of replicas that receive requests. A server with one replica has two while the controller replaces the
     * first.
     */
    public static int replicas(PolicyServer server, Optional<StatefulSet> workload) {
        int wanted = wanted(server);
        boolean hasSecond =
                workload.filter(each -> count(each.getSpec().getReplicas()) > 1).isPresent();
        return wanted == 1 && hasSecond ? 2 : wanted;
    }

    public Optional<Integer> historyLimit(String name) {
        return get(name)
                .map(server -> server.getSpec().path("revisionHistoryLimit"))
                .filter(limit -> limit.canConvertToInt() && limit.asInt() >= 0)
                .map(limit -> limit.asInt());
    }

    /** Whether all replicas run the latest rollout and are ready. */
    private boolean isSettled(String name, int replicas) {
        return workload(name).filter(workload -> isSettled(workload, replicas)).isPresent();
    }

    private Optional<StatefulSet> workload(String name) {
        return view.statefulSets().get(namespace, PolicyServerNames.statefulSet(name));
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

    /** One entry for each desired replica of a server. */
    public List<ReplicaPod> replicas(Target target) {
        if (!(target instanceof Target.Present server)) {
            return List.of();
        }
        var pods = new HashMap<Integer, Pod>();
        podsByServer.apply(server.name()).forEach(pod -> ordinal(pod).ifPresent(ordinal -> pods.put(ordinal, pod)));
        return IntStream.range(0, server.replicas())
                .mapToObj(ordinal -> replica(server.name(), ordinal, Optional.ofNullable(pods.get(ordinal))))
                .toList();
    }

    private ReplicaPod replica(String server, int ordinal, Optional<Pod> found) {
        var now = clock.instant();
        var key = new Replica(server, ordinal);
        if (found.isEmpty()) {
            var since = missingSince.merge(key, now, Servers::earlier);
            return new ReplicaPod(ordinal, Optional.empty(), Optional.of(Duration.between(since, now)));
        }
        missingSince.remove(key);
        var pod = found.get();
        return new ReplicaPod(
                ordinal,
                Optional.of(pod.getMetadata().getUid()),
                notReadySince(pod).map(since -> Duration.between(since, now)));
    }

    /**
     * The earlier time. A time in the future, after the clock was set back, is reset to now; otherwise rollouts would
     * wait for it.
     */
    static Instant earlier(Instant recorded, Instant now) {
        return recorded.isAfter(now) ? now : recorded;
    }

    /** The ordinal of a pod of the StatefulSet. Other pods also have the label while a Deployment is being replaced. */
    public static OptionalInt ordinal(Pod pod) {
        var prefix = PolicyServerNames.statefulSet(server(pod)) + "-";
        var name = pod.getMetadata().getName();
        var suffix = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        return ORDINAL.matcher(suffix).matches() ? OptionalInt.of(Integer.parseInt(suffix)) : OptionalInt.empty();
    }

    /** How many replicas each server should have. */
    public Map<String, Long> wantedCounts() {
        return view.policyServers().all().stream()
                .collect(Collectors.toMap(server -> server.getMetadata().getName(), server -> (long) wanted(server)));
    }

    /** How many replicas of each server receive traffic. */
    public Map<String, Long> readyCounts() {
        return view.policyServers().all().stream()
                .map(server -> server.getMetadata().getName())
                .collect(Collectors.toMap(
                        name -> name, name -> (long) readyPods(name).size()));
    }

    /** The replicas that receive traffic. */
    public List<Pod> readyPods(String server) {
        return podsByServer.apply(server).stream()
                .filter(pod -> ordinal(pod).isPresent() && notReadySince(pod).isEmpty())
                .toList();
    }

    /** Since when the pod has received traffic, if it does. */
    public static Optional<Instant> readySince(Pod pod) {
        return notReadySince(pod).isPresent()
                ? Optional.empty()
                : readyCondition(pod).map(PodCondition::getLastTransitionTime).map(Instant::parse);
    }

    /**
     * Whether no replica has held the server's lease for longer than a change of leader takes.
     *
     * @param waiting since when a revision waits for a leader; used when there is no lease, or none with a time
     */
    public boolean isLeaderless(String server, Instant waiting) {
        var lease = view.leases().get(namespace, PolicyServerNames.service(server));
        return unheldSince(lease, waiting).plus(LEADER_CHANGE_TIME).isBefore(clock.instant());
    }

    /** When the lease ended or will end; in the future while a replica holds it. */
    static Instant unheldSince(Optional<Lease> lease, Instant waiting) {
        var spec = lease.map(Lease::getSpec);
        var renewed = spec.map(LeaseSpec::getRenewTime).map(ZonedDateTime::toInstant);
        boolean isReleased = spec.map(LeaseSpec::getHolderIdentity).orElse("").isEmpty();
        var end = renewed.map(at -> isReleased
                ? at
                : at.plusSeconds(
                        count(spec.map(LeaseSpec::getLeaseDurationSeconds).orElse(0))));
        return end.orElse(waiting);
    }

    /** Since when the pod has not been ready; empty if it is ready. */
    public static Optional<Instant> notReadySince(Pod pod) {
        var metadata = pod.getMetadata();
        var ready = readyCondition(pod);
        if (metadata.getDeletionTimestamp() != null) {
            long gracePeriod =
                    metadata.getDeletionGracePeriodSeconds() == null ? 0 : metadata.getDeletionGracePeriodSeconds();
            return Optional.of(Instant.parse(metadata.getDeletionTimestamp()).minusSeconds(gracePeriod));
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
