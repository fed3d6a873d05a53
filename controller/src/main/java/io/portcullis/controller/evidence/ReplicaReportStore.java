package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.api.time.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Stores the published report of each replica about its memory and its quarantine. The prober asks for a report with
 * each probe. The store publishes a changed quarantine at once, because the first quarantine of a module lasts only a
 * minute. It publishes changed memory at most once a minute, and never an unchanged report. Thread-safe.
 */
public final class ReplicaReportStore {

    /** Shorter than the time between two probes. One probe may ask a replica several times, once per CA bundle. */
    private static final Duration ASK_INTERVAL = Duration.ofSeconds(5);

    private static final Duration MEMORY_INTERVAL = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Consumer<String> changed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, ReplicaEntry>> servers = new HashMap<>();

    /**
     * The state of one replica.
     *
     * @param untilAsked until the replica is asked again
     * @param untilMemory until a change of memory alone is published
     * @param report the published report; absent before the first
     */
    private record ReplicaEntry(Pause untilAsked, Pause untilMemory, Optional<ReplicaReport> report) {

        boolean isOutdatedBy(ReplicaReport fresh, Instant now) {
            return report.isEmpty()
                    || !report.get().quarantined().equals(fresh.quarantined())
                    || (!report.get().equals(fresh) && untilMemory.isOver(now));
        }
    }

    private static ReplicaEntry first(Instant now) {
        return new ReplicaEntry(asked(now), Pause.of(now, MEMORY_INTERVAL), Optional.empty());
    }

    private static Pause asked(Instant now) {
        return Pause.of(now, ASK_INTERVAL);
    }

    /** @param changed receives the name of a PolicyServer whose reports changed */
    public ReplicaReportStore(InstantSource clock, Consumer<String> changed) {
        this.clock = clock;
        this.changed = changed;
    }

    /** Whether to ask this replica now. Returns true once per interval. */
    boolean takeTurn(String server, String podUid) {
        lock.lock();
        try {
            var now = clock.instant();
            var replicas = servers.computeIfAbsent(server, _ -> new HashMap<>());
            var entry = replicas.get(podUid);
            if (entry != null && !entry.untilAsked().isOver(now)) {
                return false;
            }
            replicas.put(
                    podUid,
                    entry == null ? first(now) : new ReplicaEntry(asked(now), entry.untilMemory(), entry.report()));
            return true;
        } finally {
            lock.unlock();
        }
    }

    void put(String server, String podUid, ServerReport report) {
        var fresh = ReplicaReport.of(report);
        var now = clock.instant();
        lock.lock();
        try {
            var replicas = servers.computeIfAbsent(server, _ -> new HashMap<>());
            var entry = replicas.getOrDefault(podUid, first(now));
            if (!entry.isOutdatedBy(fresh, now)) {
                return;
            }
            replicas.put(
                    podUid, new ReplicaEntry(entry.untilAsked(), Pause.of(now, MEMORY_INTERVAL), Optional.of(fresh)));
        } finally {
            lock.unlock();
        }
        changed.accept(server);
    }

    /** Drops the reports of replicas that are gone. */
    void retain(String server, Collection<String> podUids) {
        lock.lock();
        try {
            var replicas = servers.get(server);
            if (replicas != null) {
                replicas.keySet().retainAll(podUids);
                if (replicas.isEmpty()) {
                    servers.remove(server);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The reports of a PolicyServer, by replica. */
    public List<ReplicaReport> of(String server) {
        lock.lock();
        try {
            return servers.getOrDefault(server, Map.of()).values().stream()
                    .flatMap(entry -> entry.report().stream())
                    .sorted(Comparator.comparingInt(ReplicaReport::replica))
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
