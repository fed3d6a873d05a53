package io.portcullis.kwctl.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompletionTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Shell.class)
    void offersEveryCommandAndOption(Shell shell) {
        var script = new KwctlRunner(directory)
                .run("completions", "-s", shell.shellName())
                .out();

        assertThat(script)
                .contains("kwctl scaffold vap", "inspect", "cel-policy", "allow-context-aware", "sources-path")
                .doesNotContain("kwctl manifest");
    }

    /** Checks the completions of a real bash. */
    @Test
    void completesInBash() throws Exception {
        assertThat(bash("kwctl", "scaf")).isEqualTo("scaffold");
        assertThat(bash("kwctl", "scaffold", "va")).isEqualTo("vap");
        assertThat(bash("kwctl", "run", "--allow-c")).isEqualTo("--allow-context-aware");
        assertThat(bash("kwctl", "run", "-e", "gate")).isEqualTo("gatekeeper");
        assertThat(bash("kwctl", "run", "--settings-path", "")).isEmpty();
        assertThat(bash("kwctl", "what")).isEqualTo("what-applies");
        assertThat(bash("kwctl", "status", "--kind", "Cluster"))
                .isEqualTo("ClusterAdmissionPolicy ClusterAdmissionPolicyGroup");
    }

    private String bash(String... words) throws IOException, InterruptedException {
        var script = directory.resolve("kwctl.bash");
        Files.writeString(
                script,
                new KwctlRunner(directory).run("completions", "-s", "bash").out());
        var line = "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _kwctl; echo \"${COMPREPLY[@]}\""
                .formatted(script, "'" + String.join("' '", words) + "'", words.length - 1);
        var process =
                new ProcessBuilder("bash", "-c", line).redirectErrorStream(true).start();
        var answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).isZero();
        return answer;
    }
}
