package io.portcullis.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./portcullis tools} with a cache of its own; Go is a script that builds nothing. */
class ToolsScriptTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    @Test
    void saysBeforeBuildingThatGoIsMissing() throws IOException {
        Files.createDirectories(directory.resolve("bin"));
        for (var program : List.of("bash", "dirname", "sort", "env")) {
            var path = ShellCommand.of("sh", "-c", "command -v " + program).run();
            Files.createSymbolicLink(directory.resolve("bin").resolve(program), Path.of(path));
        }

        var outcome = tools("build", "level1")
                .with("PATH", directory.resolve("bin").toString())
                .attempt();

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors())
                .isEqualTo("tools: Go is missing; it builds etcd kube-apiserver kubectl (install Go 1.26 or newer)");
    }

    @Test
    void saysBeforeBuildingThatGoIsTooOld() throws IOException {
        go("go1.9.7");

        assertThat(run("build", "pause", "helm").errors())
                .isEqualTo("tools: Go 1.9.7 is too old to build pause helm (install Go 1.26 or newer)");
    }

    @Test
    void saysHowManyAndHowLongAndWhichOneIsBuilt() throws IOException {
        go("go1.26.8");
        builtAlready("etcd");

        var outcome = run("build", "level1");

        assertThat(outcome.errors())
                .contains("tools: 2 to build, about 4 minutes on two idle cores: kube-apiserver kubectl")
                .contains("tools: 1 of 2: building kube-apiserver …", "tools: 2 of 2: built kubectl ");
        assertThat(outcome.exitCode()).isZero();
        assertThat(run("path", "kubectl").output()).startsWith(cache().toString());
        assertThat(run("build", "level1").errors()).isEmpty();
    }

    @Test
    void checkBuildsNothing() throws IOException {
        go("go1.26.8");

        assertThat(run("check", "pause").errors()).contains("1 to build");
        assertThat(run("path", "pause").errors()).contains("pause is not built; run: ./portcullis tools build pause");
    }

    @Test
    void aFailedBuildShowsTheEndOfItsLog() throws IOException {
        go("go1.26.8", "echo 'no such module' >&2; exit 1");

        var outcome = run("build", "pause");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("no such module", "building pause failed", "the whole log is");
    }

    @Test
    void pruneRemovesOtherVersionsAndTheCachesOfGo() throws IOException {
        builtAlready("etcd");
        var old = Files.createDirectories(cache().resolve("etcd/3.0.0"));
        var modules = Files.createDirectories(cache().resolve(".build/go-mod"));

        var outcome = run("prune");

        assertThat(outcome.errors()).isEqualTo("tools: removed etcd 3.0.0");
        assertThat(old).doesNotExist();
        assertThat(modules).doesNotExist();
        assertThat(run("path", "etcd").exitCode()).isZero();
    }

    @Test
    void namesAnUnknownToolAndAnUnknownCommand() {
        assertThat(run("build", "hammer").errors()).contains("no tool is called 'hammer'");
        assertThat(run("hammer").exitCode()).isEqualTo(2);
        assertThat(run("hammer").errors())
                .contains("no command is called 'hammer'", "Usage: ./portcullis tools COMMAND");
    }

    private Path cache() {
        return directory.resolve("cache");
    }

    private ShellCommand tools(String... words) {
        var all = new ArrayList<>(
                List.of(Checkout.current().root().resolve("portcullis").toString(), "tools"));
        all.addAll(List.of(words));
        return ShellCommand.of(all).with("PORTCULLIS_TOOLS", cache().toString());
    }

    private ShellCommand.Outcome run(String... words) {
        return tools(words)
                .with("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"))
                .attempt();
    }

    private void builtAlready(String name) throws IOException {
        var line = run("list")
                .output()
                .lines()
                .filter(tool -> tool.startsWith(name + " "))
                .findFirst()
                .orElseThrow();
        var version = line.split(" +", -1)[1];
        program(cache().resolve(name).resolve(version).resolve(name), "true");
    }

    private void go(String version) throws IOException {
        go(version, "while [ $# -gt 0 ]; do [ \"$1\" != -o ] || { echo built >\"$2\"; chmod +x \"$2\"; }; shift; done");
    }

    /** A Go that knows its version and builds by a script. */
    private void go(String version, String build) throws IOException {
        program(directory.resolve("bin/go"), """
                case "$1 ${2:-}" in
                  'env GOVERSION') echo %s ;;
                  'mod '*) ;;
                  build*) %s ;;
                esac
                """.formatted(version, build));
    }

    private static void program(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
