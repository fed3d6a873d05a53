package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.api.policyserver.ReplicaReport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The latest report of each replica about its memory and its quarantine. A replica is asked once a minute at most, and
 * nothing is published that looks the same as before. Thread-safe.
 */
public final class ReplicaReportStore {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Consumer<String> changed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, Known>> servers = new HashMap<>();

    private record Known(Pause untilNextTurn, List<ReplicaReport> report) {}

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
            if (known != null && !known.untilNextTurn().isOver(now)) {
                return false;
            }
            replicas.put(podUid, new Known(Pause.of(now, INTERVAL), known == null ? List.of() : known.report()));
            return true;
        } finally {
            lock.unlock();
        }
    }

    void put(String server, String podUid, ServerReport report) {
        var now = List.of(ReplicaReport.of(report));
        boolean isNew;
        lock.lock();
        try {
            var replicas = servers.computeIfAbsent(server, _ -> new HashMap<>());
            var known = replicas.get(podUid);
            isNew = known == null || !known.report().equals(now);
            replicas.put(
                    podUid,
                    new Known(known == null ? Pause.of(clock.instant(), INTERVAL) : known.untilNextTurn(), now));
        } finally {
            lock.unlock();
        }
        if (isNew) {
            changed.accept(server);
        }
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
