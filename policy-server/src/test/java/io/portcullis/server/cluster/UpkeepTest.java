package io.portcullis.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.cache.CachedFile;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.server.CacheCertificates;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the upkeep over real files. The files are two days old unless a test says otherwise. */
class UpkeepTest {

    private static final byte[] CONTENT = {1, 2, 3};
    private static final String URL = "registry://registry.test/policies/a:v1";
    private static final String USED = "sha256:" + "a".repeat(64);
    private static final String UNUSED = "sha256:" + "b".repeat(64);
    private static final String ENGINE = "engine-1";
    private static final String OTHER_ENGINE = "engine-2";

    private static CacheCertificates certificates;

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final StoredRevisions stored = new StoredRevisions();
    private final Transport transport = new Transport(new Sources(Set.of(), Map.of(), Proxies.NONE));

    @BeforeAll
    static void createCertificates(@TempDir Path pki) throws Exception {
        certificates = CacheCertificates.in(pki, "s");
    }

    @AfterEach
    void close() {
        transport.close();
    }

    /** The cache of one server, or of one of its pods. */
    private final class Cache {

        private final Path root;
        private final SharedCache files;
        private final RevisionModules modules;

        Cache(String name) {
            root = directory.resolve(name);
            var trusted = certificates.files("s");
            files = new SharedCache(root, trusted::signer, trusted::trust, (_, _) -> {}, Clock.systemUTC());
            modules = UntrustedModules.around(files, directory, transport, Optional.empty());
            for (var digest : List.of(USED, UNUSED)) {
                var key = CacheKey.of(URL, digest);
                files.store(key, new CachedFile.Original(), CONTENT);
                files.store(key, new CachedFile.Optimized(ENGINE), CONTENT);
                files.store(key, new CachedFile.Optimized(OTHER_ENGINE), CONTENT);
                assertThat(modules.isCached(URL, digest, ENGINE)).isTrue();
            }
        }

        Cache makeOld() throws IOException {
            try (var all = Files.walk(root)) {
                for (var file : all.filter(Files::isRegularFile).toList()) {
                    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
                }
            }
            return this;
        }

        boolean hasOriginal(String digest) {
            return files.holds(CacheKey.of(URL, digest), new CachedFile.Original());
        }

        boolean hasCompiled(String digest, String engine) {
            return files.holds(CacheKey.of(URL, digest), new CachedFile.Optimized(engine));
        }

        Upkeep upkeep(boolean isShared, String engine) {
            return new Upkeep(modules, Set.of(engine), isShared, Runnable::run, clock);
        }
    }

    private List<ObservedRevision> revisions() {
        return List.of(stored.write(
                stored.create(1, URL),
                new PolicyRevisionStatus(
                        List.of(), List.of(new Artifact(null, URL, USED, 3)), null, null, null, null, null)));
    }

    private void runAfterAnHour(Upkeep upkeep, boolean leads) {
        clock.pass(Upkeep.INTERVAL);
        upkeep.runIfDue(revisions(), () -> Set.of(USED), leads);
    }

    @Test
    void aReplicaThatDoesNotLeadCollectsItsOwnCache() throws IOException {
        var cache = new Cache("pod").makeOld();

        runAfterAnHour(cache.upkeep(false, ENGINE), false);

        assertThat(cache.hasOriginal(UNUSED)).isFalse();
        assertThat(cache.hasCompiled(UNUSED, ENGINE)).isFalse();
        assertThat(cache.hasCompiled(USED, OTHER_ENGINE)).isFalse();
        assertThat(cache.hasOriginal(USED)).isTrue();
        assertThat(cache.hasCompiled(USED, ENGINE)).isTrue();
    }

    @Test
    void onlyTheLeaderCollectsASharedCache() throws IOException {
        var cache = new Cache("shared").makeOld();

        runAfterAnHour(cache.upkeep(true, ENGINE), false);
        assertThat(cache.hasOriginal(UNUSED)).isTrue();

        runAfterAnHour(cache.upkeep(true, ENGINE), true);
        assertThat(cache.hasOriginal(UNUSED)).isFalse();
        assertThat(cache.hasOriginal(USED)).isTrue();
    }

    @Test
    void theLeaderKeepsTheCompiledCodeThatAReplicaWithAnotherEngineTouched() throws IOException {
        var cache = new Cache("shared").makeOld();

        runAfterAnHour(cache.upkeep(true, OTHER_ENGINE), false);
        runAfterAnHour(cache.upkeep(true, ENGINE), true);

        assertThat(cache.hasCompiled(USED, OTHER_ENGINE)).isTrue();
        assertThat(cache.hasCompiled(UNUSED, OTHER_ENGINE)).isFalse();
    }

    @Test
    void keepsYoungFilesAndRunsOnceAnHour() throws IOException {
        var cache = new Cache("pod");
        var upkeep = cache.upkeep(false, ENGINE);
        runAfterAnHour(upkeep, false);
        assertThat(cache.hasOriginal(UNUSED)).isTrue();

        cache.makeOld();
        clock.pass(Upkeep.INTERVAL.minusSeconds(1));
        upkeep.runIfDue(revisions(), () -> Set.of(USED), false);
        assertThat(cache.hasOriginal(UNUSED)).isTrue();

        clock.pass(Duration.ofSeconds(1));
        upkeep.runIfDue(revisions(), () -> Set.of(USED), false);
        assertThat(cache.hasOriginal(UNUSED)).isFalse();
    }

    /** A rollback needs the bytes of a revision that no replica has loaded. */
    @Test
    void keepsModulesOfDisabledRevisions() throws IOException {
        var cache = new Cache("pod").makeOld();
        var upkeep = cache.upkeep(false, ENGINE);
        clock.pass(Upkeep.INTERVAL);

        upkeep.runIfDue(revisions(), Set::of, false);

        assertThat(cache.hasOriginal(USED)).isTrue();
        assertThat(cache.hasOriginal(UNUSED)).isFalse();
    }

    @Test
    void aServerDeletesNoFilesOfAnotherServerOnTheSameClaim() throws IOException {
        var other = new Cache("claim/other").makeOld();
        var cache = new Cache("claim/own").makeOld();

        runAfterAnHour(cache.upkeep(true, ENGINE), true);

        assertThat(cache.hasOriginal(UNUSED)).isFalse();
        assertThat(other.hasOriginal(UNUSED)).isTrue();
        assertThat(other.hasCompiled(USED, OTHER_ENGINE)).isTrue();
    }

    /** The quarantine is a file in the cache, beside the directories of the registries. */
    @Test
    void keepsFilesThatAreNotCachedModules() throws IOException {
        var cache = new Cache("pod");
        var quarantine = Files.writeString(cache.root.resolve("quarantine-0.tsv"), "content");
        cache.makeOld();

        runAfterAnHour(cache.upkeep(false, ENGINE), false);

        assertThat(cache.hasOriginal(UNUSED)).isFalse();
        assertThat(quarantine).exists();
    }
}
