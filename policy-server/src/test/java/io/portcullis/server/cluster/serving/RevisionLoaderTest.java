package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.cache.CachedFile;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.CacheCertificates;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.ModulePeers;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import io.portcullis.server.cluster.serving.RevisionLoader.Result;
import io.portcullis.server.evaluation.AlwaysAllowed;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a replica takes modules from, and which it never asks for. The origin is a real web server. */
class RevisionLoaderTest {

    private static final byte[] WASM = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final byte[] FORGED = {0, 'a', 's', 'm', 1, 0, 0, 0, 0, 1, 0};

    private static CacheCertificates certificates;

    @TempDir
    Path directory;

    private final StoredRevisions stored = new StoredRevisions();
    private final LoopbackModule origin = new LoopbackModule(WASM);
    private final List<String> asked = new ArrayList<>();
    private RevisionStatements statements;
    private SharedCache cache;

    @BeforeAll
    static void createCertificates(@TempDir Path pki) throws Exception {
        certificates = CacheCertificates.in(pki, "s");
    }

    @BeforeEach
    void start() {
        statements = certificates.statements("s", InstantSource.system());
        var files = certificates.files("s");
        cache = new SharedCache(
                directory.resolve("cache"), files::signer, files::trust, (_, _) -> {}, Clock.systemUTC());
    }

    @AfterEach
    void stop() {
        origin.close();
    }

    private Result load(ObservedRevision revision, Optional<byte[]> peer) {
        ModulePeers peers = digest -> {
            asked.add(digest);
            return peer;
        };
        var modules = UntrustedModules.around(cache, directory, origin.transport(), Optional.empty(), peers);
        var loader = new RevisionLoader(modules, statements, new ReadingLoader(), new LoadMetrics(new Metrics()));
        return new PolicyLoadSpecs(List.of()).of(revision) instanceof PolicyLoadSpec.Usable usable
                ? loader.load(revision, new ResolvedLoadSpec(usable, revision.digests()))
                : new Result.Failed(io.portcullis.api.condition.Reason.LOAD_ERROR, "unusable");
    }

    private static final class ReadingLoader implements PolicyLoader {

        @Override
        public LoadedPolicy load(String policyId, PolicyEntry entry, ModuleBytes modules) {
            return new AlwaysAllowed();
        }

        @Override
        public void close() {}
    }

    private ObservedRevision revision(byte[] wasm, boolean isSigned) {
        var created = stored.create(1, origin.url());
        var artifacts = List.of(new Artifact(null, origin.url(), Digest.sha256(wasm), wasm.length));
        var statement = isSigned ? statements.sign(created, artifacts) : null;
        return stored.write(
                created,
                new PolicyRevisionStatus(
                        List.of(), artifacts, new Leader("pod", 1, statement), null, null, null, null));
    }

    private boolean isCached(byte[] wasm) {
        return cache.holds(CacheKey.of(origin.url(), Digest.sha256(wasm)), new CachedFile.Original());
    }

    @Test
    void loadsFromAnotherReplicaWhileTheOriginIsDown() {
        var revision = revision(WASM, true);
        origin.close();

        assertThat(load(revision, Optional.of(WASM)))
                .isInstanceOfSatisfying(
                        Result.Loaded.class,
                        loaded -> assertThat(loaded.digests()).containsValue(Digest.sha256(WASM)));
        assertThat(isCached(WASM)).isTrue();
        assertThat(load(revision, Optional.empty())).as("from the cache").isInstanceOf(Result.Loaded.class);
        assertThat(asked).containsExactly(Digest.sha256(WASM));
    }

    @Test
    void loadsFromTheOriginWhenNoReplicaHasTheModule() {
        assertThat(load(revision(WASM, true), Optional.empty())).isInstanceOf(Result.Loaded.class);
        assertThat(asked).hasSize(1);
    }

    @Test
    void failsWhenNeitherAReplicaNorTheOriginAnswers() {
        var revision = revision(WASM, true);
        origin.close();

        assertThat(load(revision, Optional.empty())).isInstanceOf(Result.Failed.class);
    }

    /** Otherwise an account that may write the status of a revision could choose the code, if any replica has it. */
    @Test
    void asksNoReplicaForADigestThatTheLeaderDidNotSign() {
        assertThat(load(revision(FORGED, false), Optional.of(FORGED)))
                .isInstanceOfSatisfying(
                        Result.Failed.class,
                        failed -> assertThat(failed.message()).contains("the leader has not signed the digests"));
        assertThat(asked).isEmpty();
        assertThat(isCached(FORGED)).isFalse();
    }
}
