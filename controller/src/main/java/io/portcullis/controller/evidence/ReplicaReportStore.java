package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.api.policyserver.ReplicaReport;
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
 * The published report of each replica about its memory and its quarantine. A replica is asked with each probe. A changed
 * quarantine is published at once, because the first one of a module lasts only a minute; changed memory once a minute at
 * most, and nothing that looks the same as before. Thread-safe.
 */
public final class ReplicaReportStore {

    /** Less than the time between two probes. One probe may ask a replica several times, once per CA bundle. */
    private static final Duration ASK_INTERVAL = Duration.ofSeconds(5);

    private static final Duration MEMORY_INTERVAL = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Consumer<String> changed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, Known>> servers = new HashMap<>();

    /**
     * What is known of one replica.
     *
     * @param untilAsked until it is asked again
     * @param untilMemory until a change of memory alone is published
     * @param report as it was published; absent before the first
     */
    private record Known(Pause untilAsked, Pause untilMemory, Optional<ReplicaReport> report) {

        boolean isOutdatedBy(ReplicaReport fresh, Instant now) {
            return report.isEmpty()
                    || !report.get().quarantined().equals(fresh.quarantined())
                    || (!report.get().equals(fresh) && untilMemory.isOver(now));
        }
    }

    private static Known first(Instant now) {
        return new Known(asked(now), Pause.of(now, MEMORY_INTERVAL), Optional.empty());
    }

    private static Pause asked(Instant now) {
        return Pause.of(now, ASK_INTERVAL);
    }

    /** @param changed receives the name of a PolicyServer whose reports changed */
    public ReplicaReportStore(InstantSource clock, Consumer<String> changed) {
        this.clock = clock;
        this.changed = changed;
    }

    /** Whether this replica is to be asked now; the answer is true once per interval. */
    boolean takeTurn(String server, String podUid) {
        lock.lock();
        try {
            var now = clock.instant();
            var replicas = servers.computeIfAbsent(server, _ -> new HashMap<>());
            var known = replicas.get(podUid);
            if (known != null && !known.untilAsked().isOver(now)) {
                return false;
            }
            replicas.put(
                    podUid, known == null ? first(now) : new Known(asked(now), known.untilMemory(), known.report()));
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
            var known = replicas.getOrDefault(podUid, first(now));
            if (!known.isOutdatedBy(fresh, now)) {
                return;
            }
            replicas.put(podUid, new Known(known.untilAsked(), Pause.of(now, MEMORY_INTERVAL), Optional.of(fresh)));
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
                    .flatMap(known -> known.report().stream())
                    .sorted(Comparator.comparingInt(ReplicaReport::replica))
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
