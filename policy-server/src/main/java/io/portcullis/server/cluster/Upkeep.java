package io.portcullis.server.cluster;

import io.portcullis.api.lifecycle.Pause;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the cache small. Once an hour every replica marks the files it lives on, and the leader then removes what no
 * retained revision names, and compiled code that nobody has marked for a day.
 */
final class Upkeep {

    private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
    static final Duration EVERY = Duration.ofHours(1);
    private static final Duration AGE = Duration.ofHours(24);

    private final RevisionModules modules;
    private final Set<String> fingerprints;
    private final InstantSource clock;
    private Pause rest;

    Upkeep(RevisionModules modules, Set<String> fingerprints, InstantSource clock) {
        this.modules = modules;
        this.fingerprints = fingerprints;
        this.clock = clock;
        this.rest = Pause.of(clock.instant(), EVERY);
    }

    /** Called often; does something once an hour, elsewhere than on the caller's thread. */
    void look(Collection<ObservedRevision> revisions, Supplier<Set<String>> inUse, boolean leads) {
        if (!rest.isOver(clock.instant())) {
            return;
        }
        rest = Pause.of(clock.instant(), EVERY);
        var named = named(revisions);
        var marked = inUse.get();
        Thread.ofVirtual().name("cache-upkeep").start(() -> run(named, marked, leads));
    }

    /** Every module that a revision names, enabled or not: rollback brings the same bytes back. */
    static Set<String> named(Collection<ObservedRevision> revisions) {
        var digests = new HashSet<String>();
        for (var revision : revisions) {
            digests.addAll(revision.digests().values());
            revision.spec().pinnedArtifacts().forEach(artifact -> digests.add(artifact.digest()));
        }
        return digests;
    }

    private void run(Set<String> named, Set<String> inUse, boolean leads) {
        try {
            inUse.forEach(digest -> modules.touch(digest, fingerprints));
            if (leads) {
                var removed = modules.collectGarbage(named, fingerprints, AGE);
                log.atInfo().addKeyValue("files", removed).log("cache cleaned up");
            }
        } catch (ArtifactException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("cache not cleaned up");
        }
    }
}
