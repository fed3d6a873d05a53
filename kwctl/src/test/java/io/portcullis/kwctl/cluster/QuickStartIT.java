package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands without a cluster do not load the Kubernetes client. */
class QuickStartIT {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"-V", "status --help", "completions --shell bash", "policies"})
    void loadsNoKubernetesClient(String line) throws IOException {
        var log = directory.resolve("classes");
        var words = (PlayedCluster.LAUNCHER + " " + line).split(" ");

        var outcome = ShellCommand.of(words)
                .with("JAVA_OPTS", "-Xlog:class+load:file=" + log)
                .with("XDG_CACHE_HOME", directory.toString())
                .attempt();

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(Files.readString(log))
                .contains("io.portcullis.kwctl.Main")
                .doesNotContain("io.fabric8.kubernetes.client.Config", "io.fabric8.kubernetes.api.model");
    }
}
