package io.portcullis.server.preparation.quarantine;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.server.preparation.quarantine.Quarantine.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuarantineTest {

    private static final String DIGEST = "a".repeat(64);
    private static final String OTHER = "b".repeat(64);

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path directory;

    private Path file;
    private Quarantine quarantine;

    @BeforeEach
    void open() {
        file = directory.resolve("deep/quarantine.tsv");
        quarantine = restarted("engine-1");
    }

    private Quarantine restarted(String circumstances) {
        return new Quarantine(circumstances, () -> now, new QuarantineFile(file));
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    @Test
    void quarantinesAModuleForLongerAfterEachFailure() {
        for (var minutes : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
            quarantine.add(DIGEST, "too large");
            pass(Duration.ofMinutes(minutes).minusMillis(1));
            assertThat(quarantine.holds(DIGEST))
                    .as("after almost %s minutes", minutes)
                    .isTrue();
            pass(Duration.ofMillis(1));
            assertThat(quarantine.holds(DIGEST)).as("after %s minutes", minutes).isFalse();
        }
    }

    @Test
    void keepsTheQuarantineAndItsCountAcrossARestart() {
        quarantine.add(DIGEST, "too large\n\tand more");
        var after = restarted("engine-1");
        assertThat(after.find(DIGEST))
                .hasValueSatisfying(entry -> assertThat(entry.message()).isEqualTo("too large and more"));
        assertThat(after.add(DIGEST, "again").failures()).isEqualTo(2);
    }

    @Test
    void releasesAllModulesWhenTheEngineOrTheLimitsChange() {
        quarantine.add(DIGEST, "too large");
        assertThat(restarted("engine-2").held()).isEmpty();
    }

    @Test
    void releasesAModuleInTheProcessAndInTheFile() {
        quarantine.add(DIGEST, "too large");
        quarantine.add(OTHER, "too large");
        assertThat(quarantine.release(DIGEST)).isTrue();
        assertThat(quarantine.release(DIGEST)).isFalse();
        assertThat(quarantine.held()).extracting(Entry::digest).containsExactly(OTHER);
        new QuarantineFile(file).write(List.of());
        assertThat(quarantine.holds(OTHER)).isFalse();
        assertThat(restarted("engine-1").held()).isEmpty();
    }

    @Test
    void keepsTheQuarantineWhenTheFileCannotBeWritten() throws IOException {
        Files.writeString(directory.resolve("deep"), "not a directory");
        quarantine.add(DIGEST, "too large");
        assertThat(quarantine.holds(DIGEST)).isTrue();
    }

    @Test
    void keepsABoundedNumberOfModules() {
        for (var i = 0; i < Quarantine.MAX_ENTRIES + 50; i++) {
            quarantine.add("%064x".formatted(i), "m".repeat(10_000));
            pass(Duration.ofMillis(1));
        }
        assertThat(quarantine.held()).hasSize(Quarantine.MAX_ENTRIES);
        assertThat(file).satisfies(each -> assertThat(Files.size(each)).isLessThan(1 << 20));
    }

    @Test
    void skipsDamagedLinesOfTheFile() {
        assertThat(QuarantineFile.parse("""
                        \tnothing
                        %1$s\tengine-1\tmany\t2026-01-01T00:01:00Z\tm
                        %1$s\tengine-1\t1\tsoon\tm
                        %1$s\tengine-1\t-1\t2026-01-01T00:01:00Z\tm
                        ../../etc/passwd\tengine-1\t1\t2026-01-01T00:01:00Z\tm
                        %2$s\tengine-1\t1\t2026-01-01T00:01:00Z\tm
                        """.formatted(DIGEST, OTHER)))
                .extracting(Entry::digest)
                .containsExactly(OTHER);
    }

    @Test
    void doesNotQuarantineAModuleForYearsAfterTheClockWasSetBack() throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, DIGEST + "\tengine-1\t1\t2040-01-01T00:00:00Z\tm\n");
        assertThat(restarted("engine-1").held()).isEmpty();
    }

    @Test
    void doesNotExtendTheQuarantineWhenTheWallClockIsSetBackByAnHour() {
        quarantine.add(DIGEST, "too large");
        pass(Duration.ofHours(-1));
        assertThat(quarantine.holds(DIGEST)).isFalse();

        // The quarantine after the next failure follows the changed clock.
        quarantine.add(DIGEST, "too large");
        assertThat(quarantine.holds(DIGEST)).isTrue();
        pass(Duration.ofMinutes(2));
        assertThat(quarantine.holds(DIGEST)).isFalse();
    }

    @Test
    void releasesAModuleWhenTheWallClockIsSetForwardAndQuarantinesItsNextFailure() {
        quarantine.add(DIGEST, "too large");
        pass(Duration.ofHours(1));
        assertThat(quarantine.holds(DIGEST)).isFalse();

        quarantine.add(DIGEST, "too large");
        assertThat(quarantine.holds(DIGEST)).isTrue();
    }
}
