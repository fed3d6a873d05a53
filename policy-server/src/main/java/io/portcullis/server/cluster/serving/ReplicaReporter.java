package io.portcullis.server.cluster.serving;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.time.Pause;
import io.portcullis.server.cluster.loop.Loop;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatuses;
import io.portcullis.server.cluster.serving.ServingPlan.Report;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the Ready condition of this replica to revisions. It never runs two writes for one revision at the same time, so
 * the last write is the last decision. After a failed write the plan decides again a second later. Confined to the loop's
 * thread.
 */
public final class ReplicaReporter {

    private static final Logger log = LoggerFactory.getLogger(ReplicaReporter.class);
    private static final int MAX_PARALLEL_WRITES = 8;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final RevisionStatuses statuses;
    private final int replica;
    private final Loop loop;
    private final InstantSource clock;
    private final Semaphore slots = new Semaphore(MAX_PARALLEL_WRITES);
    private final Set<String> writing = new HashSet<>();
    private final Set<String> endedWrites = new HashSet<>();
    private final Map<String, Pause> pauses = new HashMap<>();

    public ReplicaReporter(RevisionStatuses statuses, int replica, Loop loop, InstantSource clock) {
        this.statuses = statuses;
        this.replica = replica;
        this.loop = loop;
        this.clock = clock;
    }

    /**
     * Whether the last report on a revision is stored: no write is in progress, and no failed write waits to be repeated.
     */
    boolean isStored(String revision) {
        return !writing.contains(revision) && !pauses.containsKey(revision);
    }

    /** Returns the revisions to plan again: a write ended since the last call, or the last write failed. */
    Set<String> takeDirty() {
        var dirty = new HashSet<>(endedWrites);
        dirty.addAll(pauses.keySet());
        endedWrites.clear();
        return dirty;
    }

    void drop(String revision) {
        pauses.remove(revision);
    }

    void report(ObservedRevision revision, Report report) {
        switch (report) {
            case Report.Keep() -> pauses.remove(revision.name());
            case Report.Write(var condition) -> write(revision, Optional.of(condition));
            case Report.Clear() -> write(revision, Optional.empty());
        }
    }

    private void write(ObservedRevision revision, Optional<Condition> ready) {
        var name = revision.name();
        var pause = pauses.get(name);
        if (writing.contains(name) || (pause != null && !pause.isOver(clock.instant()))) {
            return;
        }
        Thread.ofVirtual().name("report-" + name).start(() -> {
            var written = attempt(revision, ready);
            loop.post(() -> {
                writing.remove(name);
                endedWrites.add(name);
                if (written) {
                    pauses.remove(name);
                } else {
                    pauses.put(name, Pause.of(clock.instant(), RETRY_DELAY));
                }
            });
        });
        writing.add(name);
    }

    private boolean attempt(ObservedRevision revision, Optional<Condition> ready) {
        slots.acquireUninterruptibly();
        try {
            statuses.writeReplica(revision, replica, ready);
            return true;
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("revision", revision.name())
                    .addKeyValue("error", e.getMessage())
                    .log("report not written");
            return false;
        } catch (RuntimeException | Error e) {
            loop.post(() -> {
                throw e;
            });
            return false;
        } finally {
            slots.release();
        }
    }
}
