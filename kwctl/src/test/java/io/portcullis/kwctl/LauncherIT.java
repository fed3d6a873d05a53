package io.portcullis.kwctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the real program through its launcher: streams, exit codes, terminals, shells. */
class LauncherIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private KwctlProcess kwctl;
    private int terminals;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlProcess(directory);
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
    }

    @Test
    void keepsStandardErrorEmptyOnSuccess() {
        assertThat(kwctl.run("-V")).isEqualTo(new KwctlRunner.Result(0, "kwctl 0.1.0\n", ""));
    }

    @Test
    void evaluatesTwiceWithTheSameResponse() {
        var first = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");
        var second = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");

        assertThat(first.out()).contains("\"allowed\":false");
        assertThat(first.err()).isEmpty();
        assertThat(second).isEqualTo(first);
    }

    @Test
    void exitsWithTheDocumentedCodes() {
        assertThat(kwctl.run().code()).isEqualTo(2);
        assertThat(kwctl.run("frobnicate").code()).isEqualTo(2);
        assertThat(kwctl.run("run", "--exit-code", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json")
                        .code())
                .isEqualTo(3);
    }

    /**
     * A few rows of the catalogue in {@code ErrorCatalogueTest}: the launcher must pass on arguments, streams and exit
     * codes.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run none.wasm -r r.json | Cannot find policy with uri: none.wasm",
                "run @ -r r.json --settings-json { | Cannot parse settings JSON",
                "run @ -r r.json --allowed-host-capabilities=oci/none | Invalid host capabilities pattern",
                "pull localhost:1/x:v1 | Fail to interact with OCI registry",
                "scaffold artifacthub | metadata.yml",
            })
    void reportsErrors(String line, String keyWords) {
        var result = kwctl.run(line.replace("@", SamplePolicies.PRIVILEGED_PODS).split(" ", -1));

        assertThat(result.err()).contains("Error: ").contains(keyWords);
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
    }

    /** The working directory of the user must not be on the class path. */
    @Test
    void loadsNothingFromTheWorkingDirectory() throws Exception {
        var services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve("java.nio.file.spi.FileSystemProvider"), "no.such.Provider\n");
        Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), "no.such.Provider\n");
        var shadow = Files.createDirectories(directory.resolve("io/portcullis/kwctl"));
        Files.writeString(shadow.resolve("Main.class"), "not a class");

        var result = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("\"allowed\":false");
        var traced =
                kwctl.shell(List.of("bash", "-x", KwctlProcess.LAUNCHER, "-V")).err();
        assertThat(traced.replaceAll("(?s).* -cp (\\S+) .*", "$1").split(":", -1))
                .isNotEmpty()
                .allSatisfy(element -> assertThat(element).endsWith(".jar"));
    }

    @Test
    void startsThroughALink() throws Exception {
        var link = Files.createSymbolicLink(directory.resolve("kwctl"), Path.of(KwctlProcess.LAUNCHER));
        var second = Files.createSymbolicLink(
                Files.createDirectory(directory.resolve("bin")).resolve("kwctl"), Path.of("../kwctl"));

        assertThat(kwctl.shell(List.of(link.toString(), "-V")).out()).isEqualTo("kwctl 0.1.0\n");
        assertThat(kwctl.shell(List.of(second.toString(), "-V")).out()).isEqualTo("kwctl 0.1.0\n");
    }

    @Test
    void findsAJdkThatIsNewEnough() throws Exception {
        var old = Files.createDirectories(directory.resolve("old/bin"));
        Files.writeString(directory.resolve("old/release"), "JAVA_VERSION=\"17.0.1\"\n");
        Files.writeString(old.resolve("java"), "#!/bin/sh\necho used >&2\n");
        assertThat(old.resolve("java").toFile().setExecutable(true)).isTrue();

        var result =
                kwctl.with("JAVA_HOME", directory.resolve("old").toString()).run("-V");

        assertThat(result).isEqualTo(new KwctlRunner.Result(0, "kwctl 0.1.0\n", ""));
    }

    @Test
    void runsSuitesAgainWhenAFileChanges() throws Exception {
        // Not in the directory of the program's own output, which must not count as a change.
        var suites = Files.createDirectory(directory.resolve("suites"));
        var suite = suites.resolve("pods-test.yaml");
        SamplePolicies.write(suites.resolve("r.json"), SamplePolicies.podRequest(true));
        var text = "policy: " + SamplePolicies.PRIVILEGED_PODS
                + "\ncases:\n- {name: a, request: r.json, expect: {allowed: false}}\n";
        SamplePolicies.write(suite, text);
        try (var watching = kwctl.start("test", "--watch", suites.toString())) {
            watching.awaitOutput("1 passed, 0 failed", LIMIT);

            SamplePolicies.write(suites.resolve("r.json"), SamplePolicies.podRequest(false));
            watching.awaitOutput("0 passed, 1 failed", LIMIT);

            SamplePolicies.write(suite, "cases: 1\n");
            watching.awaitOutput("cannot read test suite", LIMIT);

            SamplePolicies.write(suite, text.replace("allowed: false", "allowed: true"));
            watching.awaitOutput("(?s)cannot read test suite.*1 passed, 0 failed", LIMIT);
            assertThat(watching.isAlive()).isTrue();
        }
    }

    @Test
    void ignoresItsOwnReportAsAChange() throws Exception {
        var suites = Files.createDirectory(directory.resolve("suites"));
        var report = suites.resolve("report.json");
        SamplePolicies.write(suites.resolve("r.json"), SamplePolicies.podRequest(true));
        SamplePolicies.write(
                suites.resolve("test.yaml"),
                "policy: " + SamplePolicies.PRIVILEGED_PODS
                        + "\ncases:\n- {name: a, request: r.json, expect: {allowed: false}}\n");
        try (var watching =
                kwctl.start("test", "--watch", "-o", "json", "--report-path", report.toString(), suites.toString())) {
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(report).content().contains("\"passed\": 1"));
            var written = Files.getLastModifiedTime(report);
            await().during(Duration.ofSeconds(1))
                    .atMost(LIMIT)
                    .until(() -> Files.getLastModifiedTime(report).equals(written));

            SamplePolicies.write(suites.resolve("r.json"), SamplePolicies.podRequest(false));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(report).content().contains("\"failed\": 1"));
            assertThat(watching.isAlive()).isTrue();
        }
    }

    /** Uses a real terminal; tmux returns the screen with its colours. */
    @Test
    void coloursOnlyInATerminal() {
        assertThat(kwctl.run("inspect", SamplePolicies.PRIVILEGED_PODS).out()).doesNotContain("\u001b[");
        assertThat(inTerminal(KwctlProcess.LAUNCHER + " inspect " + SamplePolicies.PRIVILEGED_PODS))
                .contains("\u001b[1mDetails");
        assertThat(inTerminal(KwctlProcess.LAUNCHER + " --no-color inspect " + SamplePolicies.PRIVILEGED_PODS))
                .contains("Details")
                .doesNotContain("\u001b[1mDetails");
    }

    private String inTerminal(String command) {
        var script = """
                tmux -L "$1" -f /dev/null new-session -d -x 100 -y 60 "$2; tmux -L '$1' wait-for -S done; cat" || exit 1
                tmux -L "$1" wait-for done
                tmux -L "$1" capture-pane -p -e
                tmux -L "$1" kill-server
                """;
        // One server each: a tmux server that stops still answers on its socket.
        var socket = "kwctl-test-" + ProcessHandle.current().pid() + "-" + terminals++;
        return kwctl.shell(List.of("bash", "-c", script, "bash", socket, command))
                .out();
    }

    /** Returns {@code COMPREPLY} as bash fills it after the typed text. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "insp | inspect",
                "scaffold adm | admission-request",
                "run --exec | --execution-mode",
                "run -e gate | gatekeeper",
                "completions --shell z | zsh",
            })
    void completesInBash(String typed, String expected) throws Exception {
        var script = Files.writeString(
                directory.resolve("kwctl.bash"),
                kwctl.run("completions", "--shell", "bash").out());

        var result = kwctl.shell(List.of(
                "bash",
                "-c",
                "source " + script + "; COMP_WORDS=(kwctl " + typed
                        + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kwctl; echo \"${COMPREPLY[@]}\""));

        assertThat(result.err()).isEmpty();
        assertThat(result.out().strip()).isEqualTo(expected);
    }

    /** Types into a real zsh, with the Tab key. */
    @Test
    void completesInZsh() throws Exception {
        var functions = Files.createDirectory(directory.resolve("functions"));
        Files.writeString(
                functions.resolve("_kwctl"),
                kwctl.run("completions", "--shell", "zsh").out());
        var typing = """
                zmodload zsh/zpty
                zpty z zsh -f -i
                send() { zpty -w z "$1" }
                send "fpath=(%s \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=; bindkey '^I' complete-word"
                send "echo re''ady"
                zpty -r -m z out '*ready*'
                zpty -w -n z $'kwctl scaffold adm\\t'
                zpty -r -m z out '*admission-request*' && print -r -- found
                zpty -d z
                """.formatted(functions);

        var result = kwctl.shell(List.of("bash", "-c", "timeout 60 zsh -f -c \"$1\"", "bash", typing));

        assertThat(result.out()).as(result.err()).contains("found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fish"})
    void generatesScriptsThatTheShellCanParse(String shell) throws Exception {
        var script = Files.writeString(
                directory.resolve("script"),
                kwctl.run("completions", "--shell", shell).out());

        var result = kwctl.shell(List.of("bash", "-c", shell + " --no-execute " + script));

        assertThat(result.code()).as(result.err()).isZero();
    }
}
