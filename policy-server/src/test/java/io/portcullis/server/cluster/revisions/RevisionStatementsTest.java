package io.portcullis.server.cluster.revisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.server.CacheCertificates;
import io.portcullis.server.cluster.StoredRevisions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RevisionStatementsTest {

    private static final String MODULE = "registry://registry.example/policy:v1";
    private static final String DIGEST = "sha256:" + "a".repeat(64);
    private static final List<Artifact> SIGNED = List.of(new Artifact(null, MODULE, DIGEST, 1));

    @TempDir
    static Path directory;

    private final StoredRevisions stored = new StoredRevisions();
    private CacheCertificates own;
    private CacheCertificates others;
    private RevisionStatements statements;

    @BeforeEach
    void certificates() throws Exception {
        own = certificates("s");
        others = certificates("other");
        statements = own.statements("s", InstantSource.system());
    }

    /** Created once for all tests. */
    private static CacheCertificates certificates(String server) throws Exception {
        var files = directory.resolve(server);
        return Files.exists(files)
                ? new CacheCertificates(files)
                : CacheCertificates.in(Files.createDirectories(files), server);
    }

    private ObservedRevision revision(long generation, List<Artifact> artifacts, @Nullable String statement) {
        return stored.write(
                stored.create(generation, MODULE),
                new PolicyRevisionStatus(
                        List.of(), artifacts, new Leader("pod", 1, statement), null, null, null, null));
    }

    private String statement(long generation) {
        return statements.sign(stored.create(generation, MODULE), SIGNED);
    }

    @Test
    void acceptsTheDigestsThatTheLeaderSigned() {
        var revision = revision(1, SIGNED, statement(1));

        assertThat(statements.problem(revision)).isEmpty();
        assertThat(statements.isCurrent(revision)).isTrue();
    }

    static Stream<List<Artifact>> forgeries() {
        return Stream.of(
                List.of(new Artifact(null, MODULE, "sha256:" + "b".repeat(64), 1)),
                List.of(new Artifact(null, "registry://evil.example/policy:v1", DIGEST, 1)),
                List.of(new Artifact("member", MODULE, DIGEST, 1)),
                List.of(SIGNED.getFirst(), SIGNED.getFirst()),
                List.of());
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void refusesForgedDigests(List<Artifact> artifacts) {
        assertThat(statements.problem(revision(1, artifacts, statement(1))))
                .hasValueSatisfying(problem -> assertThat(problem).contains("is not valid"));
    }

    @Test
    void refusesTheStatementOfAnotherGeneration() {
        assertThat(statements.problem(revision(2, SIGNED, statement(1)))).isPresent();
    }

    @Test
    void refusesTheStatementOfAnotherServer() {
        var foreign = others.statements("other", InstantSource.system()).sign(stored.create(1, MODULE), SIGNED);
        var revision = revision(1, SIGNED, foreign);

        assertThat(statements.problem(revision))
                .hasValueSatisfying(problem -> assertThat(problem).contains("signed by another server"));
        assertThat(statements.isCurrent(revision)).isFalse();
    }

    @Test
    void refusesAMissingOrMalformedStatement() {
        assertThat(statements.problem(revision(1, SIGNED, null))).contains("the leader has not signed the digests");
        for (var nonsense : List.of("", "x", "x\ny\n", "AAAA\nAAAA\n")) {
            assertThat(statements.problem(revision(1, SIGNED, nonsense))).isPresent();
        }
    }

    @Test
    void refusesAStatementWhoseCertificateHasExpired() {
        var later = own.statements("s", InstantSource.fixed(Instant.now().plus(Duration.ofDays(31))));

        assertThat(later.problem(revision(1, SIGNED, statement(1)))).isPresent();
    }
}
