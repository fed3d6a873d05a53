package io.portcullis.kwctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real program, started by its launcher as a user would; {@code ./portcullis test} builds it first. */
class LauncherIT {

    private static final String LAUNCHER =
            Path.of("..", "dist", "bin", "kwctl").toAbsolutePath().normalize().toString();

    @TempDir
    Path directory;

    private KwctlRunner.Result kwctl(String... words) throws IOException, InterruptedException {
        var line = new ArrayList<>(List.of(LAUNCHER));
        line.addAll(List.of(words));
        return process(line);
    }

    private KwctlRunner.Result process(List<String> line) throws IOException, InterruptedException {
        var err = directory.resolve("stderr");
        var builder = new ProcessBuilder(line).directory(directory.toFile()).redirectError(err.toFile());
        builder.environment().put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        builder.environment().put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        builder.environment().remove("RUST_BACKTRACE");
        var process = builder.start();
        process.getOutputStream().close();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new KwctlRunner.Result(process.waitFor(), out, Files.readString(err));
    }

    @Test
    void keepsStandardErrorEmptyWhenThereIsNothingToSay() throws Exception {
        assertThat(kwctl("-V")).isEqualTo(new KwctlRunner.Result(0, "kwctl 0.1.0\n", ""));
    }

    @Test
    void evaluatesTwiceWithTheSameAnswer() throws Exception {
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));

        var first = kwctl("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");
        var second = kwctl("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");

        assertThat(first.out()).contains("\"allowed\":false");
        assertThat(first.err()).isEmpty();
        assertThat(second).isEqualTo(first);
    }

    @Test
    void exitsWithTheCodesThatScriptsRelyOn() throws Exception {
        assertThat(kwctl().code()).isEqualTo(2);
        assertThat(kwctl("run", "none.wasm", "-r", "none.json").code()).isEqualTo(1);
        assertThat(kwctl("frobnicate").code()).isEqualTo(2);
    }

    /** util-linux' script gives the program a terminal of its own. */
    @Test
    void coloursOnlyInATerminal() throws Exception {
        var inspect = LAUNCHER + " inspect " + SamplePolicies.PRIVILEGED_PODS;

        assertThat(kwctl("inspect", SamplePolicies.PRIVILEGED_PODS).out()).doesNotContain("\u001b[");
        assertThat(process(List.of("script", "-qec", inspect, "/dev/null")).out())
                .contains("\u001b[1mDetails");
    }

    @Test
    void completesInZsh() throws Exception {
        var script = directory.resolve("_kwctl");
        Files.writeString(script, kwctl("completions", "--shell", "zsh").out());

        assertThat(process(List.of("bash", "-c", "command -v zsh >/dev/null || exit 0; zsh -n " + script))
                        .code())
                .isZero();
    }
}
