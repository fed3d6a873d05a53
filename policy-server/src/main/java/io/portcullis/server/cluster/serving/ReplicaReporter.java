package io.portcullis.server.cluster.serving;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.server.cluster.Loop;
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
 * Writes what this replica says, never two things about one revision at once, so that the last word is the last decision.
 * A write that fails is decided on again a second later. Used by the loop's thread alone.
 */
public final class ReplicaReporter {

    private static final Logger log = LoggerFactory.getLogger(ReplicaReporter.class);
    private static final int AT_ONCE = 8;
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final RevisionStatuses statuses;
    private final int replica;
    private final Loop loop;
    private final InstantSource clock;
    private final Semaphore slots = new Semaphore(AT_ONCE);
    private final Set<String> writing = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private final Map<String, Pause> pauses = new HashMap<>();

    public ReplicaReporter(RevisionStatuses statuses, int replica, Loop loop, InstantSource clock) {
        this.statuses = statuses;
        this.replica = replica;
        this.loop = loop;
        this.clock = clock;
    }

    /** Whether nothing is being written about a revision, nor was the last attempt in vain. */
    boolean isQuiet(String revision) {
        return !writing.contains(revision);
    }

    /** Revisions about which there may be more to say: a write has ended since this was last asked, or was in vain. */
    Set<String> takeUnsettled() {
        var unsettled = new HashSet<>(ended);
        unsettled.addAll(pauses.keySet());
        ended.clear();
        return unsettled;
    }

    void forget(String revision) {
        pauses.remove(revision);
    }

    void report(ObservedRevision revision, Report report) {
        switch (report) {
            case Report.Keep() -> pauses.remove(revision.name());
            case Report.Say(var condition) -> write(revision, Optional.of(condition));
            case Report.Empty() -> write(revision, Optional.empty());
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
                ended.add(name);
                if (written) {
                    pauses.remove(name);
                } else {
                    pauses.put(name, Pause.of(clock.instant(), AFTER_FAILURE));
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
