package io.portcullis.testkit.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningProgramTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @Test
    void waitsForTheOutputOfTheProgram() {
        try (var program = shell("echo \"ready as $NAME\"; sleep 20", Map.of("NAME", "replica-1"))) {
            program.awaitOutput("ready as replica-1", LIMIT);

            assertThat(program.isAlive()).isTrue();
        }
    }

    @Test
    void reportsTheOutputOfAProgramThatEndsTooEarly() {
        try (var program = shell("echo no configuration; exit 7", Map.of())) {
            assertThatThrownBy(() -> program.awaitOutput("ready", LIMIT))
                    .isInstanceOf(ShellCommandException.class)
                    .hasMessageContaining("ended with 7")
                    .hasMessageContaining("no configuration");
        }
    }

    @Test
    void killedProgramHasNoChanceToCleanUp() {
        try (var program = shell("trap 'echo cleaning up' TERM; echo started; sleep 20", Map.of())) {
            program.awaitOutput("started", LIMIT);
            program.kill();

            assertThat(program.isAlive()).isFalse();
            assertThat(program.output()).doesNotContain("cleaning up");
        }
    }

    @Test
    void suspendsAProgramUntilItIsResumed() {
        try (var program = shell("while :; do sleep 0.01; done", Map.of())) {
            // The signal is delivered asynchronously.
            program.pause();
            await().until(() -> state(program).equals("T"));

            program.resume();
            await().until(() -> !state(program).equals("T"));
        }
    }

    private RunningProgram shell(String script, Map<String, String> environment) {
        return RunningProgram.start(directory.resolve("log"), List.of("bash", "-c", script), environment);
    }

    private static String state(RunningProgram program) throws IOException {
        return Files.readString(Path.of("/proc/" + program.pid() + "/stat")).split(" ", -1)[2];
    }
}
