package io.portcullis.server.cluster;

import io.portcullis.api.time.Pause;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects garbage in the cache. Once an hour every replica touches the files that it uses. Then modules that no retained
 * revision names are deleted, and compiled code that no replica has touched for a day. A replica deletes from its own cache. From
 * a cache that replicas share, only the leader deletes, because another replica may observe the revisions late.
 */
final class Upkeep {

    private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
    static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration MAX_AGE = Duration.ofHours(24);

    private final RevisionModules modules;
    private final Set<String> fingerprints;
    private final boolean isShared;
    private final Executor executor;
    private final InstantSource clock;
    private Pause pause;

    /** @param isShared whether other replicas use the same cache */
    Upkeep(
            RevisionModules modules,
            Set<String> fingerprints,
            boolean isShared,
            Executor executor,
            InstantSource clock) {
        this.modules = modules;
        this.fingerprints = fingerprints;
        this.isShared = isShared;
        this.executor = executor;
        this.clock = clock;
        this.pause = Pause.of(clock.instant(), INTERVAL);
    }

    /** Starts the upkeep on the executor if an hour has passed. The loop calls this on every pass. */
    void runIfDue(Collection<ObservedRevision> revisions, Supplier<Set<String>> inUse, boolean leads) {
        if (!pause.isOver(clock.instant())) {
            return;
        }
        pause = Pause.of(clock.instant(), INTERVAL);
        var referencedDigests = referencedDigests(revisions);
        var digestsInUse = inUse.get();
        executor.execute(() -> run(referencedDigests, digestsInUse, leads || !isShared));
    }

    /**
     * Returns the digests that any revision names. Disabled revisions count too, because a rollback needs the same bytes.
     */
    static Set<String> referencedDigests(Collection<ObservedRevision> revisions) {
        var digests = new HashSet<String>();
        for (var revision : revisions) {
            digests.addAll(revision.digests().values());
            revision.spec().pinnedArtifacts().forEach(artifact -> digests.add(artifact.digest()));
        }
        return digests;
    }

    private void run(Set<String> referencedDigests, Set<String> inUse, boolean mayDelete) {
        try {
            inUse.forEach(digest -> modules.touch(digest, fingerprints));
            if (mayDelete) {
                var removed = modules.collectGarbage(referencedDigests, fingerprints, MAX_AGE);
                log.atInfo().addKeyValue("files", removed).log("cache cleaned up");
            }
        } catch (ArtifactException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("cache not cleaned up");
        }
    }
}
