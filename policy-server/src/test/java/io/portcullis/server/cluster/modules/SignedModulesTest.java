package io.portcullis.server.cluster.modules;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.server.CacheCertificates;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses a real web server as the source of modules. */
class SignedModulesTest {

    private static final byte[] WASM = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final String FORGED = "sha256:" + "b".repeat(64);

    @TempDir
    Path directory;

    private final StoredRevisions stored = new StoredRevisions();
    private final LoopbackModule web = new LoopbackModule(WASM);
    private final String url = web.url();
    private RevisionStatements statements;
    private SignedModules signedModules;

    @BeforeEach
    void start() throws Exception {
        statements = CacheCertificates.in(directory, "s").statements("s", InstantSource.system());
        var modules = UntrustedModules.in(directory, web.transport(), () -> {
            throw new ArtifactException(ArtifactException.Reason.LOCAL_IO, "no key");
        });
        signedModules = new SignedModules(statements, modules);
    }

    @AfterEach
    void stop() {
        web.close();
    }

    private ObservedRevision revision(String digest, @Nullable String statement) {
        return stored.write(
                stored.create(1, url),
                new PolicyRevisionStatus(
                        List.of(), artifacts(digest), new Leader("pod", 1, statement), null, null, null, null));
    }

    private List<Artifact> artifacts(String digest) {
        return List.of(new Artifact(null, url, digest, 1));
    }

    @Test
    void acceptsSignedDigestsWithoutARequestToTheSource() {
        web.close();
        var statement = statements.sign(stored.create(1, url), artifacts(FORGED));

        assertThatCode(() -> signedModules.require(revision(FORGED, statement))).doesNotThrowAnyException();
    }

    @Test
    void refusesAForgedDigest() {
        var statement = statements.sign(stored.create(1, url), artifacts(Digest.sha256(WASM)));

        assertThatThrownBy(() -> signedModules.require(revision(FORGED, statement)))
                .isInstanceOf(ArtifactException.class)
                .hasMessageContaining("signature of the digests is not valid")
                .hasMessageContaining("does not resolve to " + FORGED);
        assertThatThrownBy(() -> signedModules.require(revision(FORGED, null)))
                .hasMessageContaining("has not signed")
                .hasMessageContaining("does not resolve to " + FORGED);
    }

    @Test
    void acceptsAnUnsignedDigestThatTheReferenceResolvesToNow() {
        assertThatCode(() -> signedModules.require(revision(Digest.sha256(WASM), null)))
                .doesNotThrowAnyException();
    }
}
