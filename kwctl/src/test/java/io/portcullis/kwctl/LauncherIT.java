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

/** The real program, started by its launcher: streams, exit codes, terminals, shells. */
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
    void keepsStandardErrorEmptyWhenThereIsNothingToSay() {
        assertThat(kwctl.run("-V")).isEqualTo(new KwctlRunner.Result(0, "kwctl 0.1.0\n", ""));
    }

    @Test
    void evaluatesTwiceWithTheSameAnswer() {
        var first = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");
        var second = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json");

        assertThat(first.out()).contains("\"allowed\":false");
        assertThat(first.err()).isEmpty();
        assertThat(second).isEqualTo(first);
    }

    @Test
    void exitsWithTheCodesThatScriptsRelyOn() {
        assertThat(kwctl.run().code()).isEqualTo(2);
        assertThat(kwctl.run("frobnicate").code()).isEqualTo(2);
        assertThat(kwctl.run("run", "--exit-code", SamplePolicies.PRIVILEGED_PODS, "-r", "r.json")
                        .code())
                .isEqualTo(3);
    }

    /** Rows of the spec's error catalogue, §10: what, and its key words. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run none.wasm -r r.json | Cannot find policy with uri: none.wasm",
                "inspect 0000 | Cannot find policy with uri: 0000",
                "run gopher://x/y -r r.json | nknown scheme",
                "run file://home/x.wasm -r r.json | cannot convert URL to path",
                "run file:///none.wasm -r r.json | No such file or directory",
                "run text.wasm -r r.json | cannot parse custom section of wasm module",
                "run @ -r none.json | Error opening request file",
                "run @ -r text.wasm | line 1 column",
                "run @ -r list.json | Invalid request object",
                "run @ -r review.json | invalid AdmissionReview object",
                "run @ -r partial.json | cannot build AdmissionRequest object from given input",
                "run @ -r r.json -s none.yml | Cannot open settings file none.yml",
                "run @ -r r.json -s text.wasm | not an object",
                "run @ -r r.json --settings-json { | Cannot parse settings JSON",
                "run @ -r r.json -e opa | not been created with Rego",
                "run @ -r r.json --allowed-host-capabilities=oci/none | Invalid host capabilities pattern",
                "run @ -r r.json --replay-host-capabilities-interactions none.yml | cannot read session file",
                "run @ -r r.json -a x=y | Intending to verify annotations, but no verification keys",
                "run @ -r r.json -k none.pub | No such file or directory",
                "run none.yaml -r r.json | Cannot open YAML file",
                "run bad.yaml -r r.json | Cannot parse YAML file",
                "run kind.yaml -r r.json | not a Kubewarden policy",
                "run kind.yaml --raw -r r.json | --raw option cannot be used with a YAML file",
                "pull --sources-path none.yml localhost:1/x:v1 | none.yml",
                "pull registry://localhost:1/UPPER:v1 | nvalid OCI image reference",
                "pull localhost:1/x:v1 | Fail to interact with OCI registry",
                "verify localhost:1/x:v1 | could not retrieve sigstore options",
                "push @plain localhost:1/x:v1 | Cannot push a policy that is not annotated",
                "rm registry://localhost:1/x:v1 | Cannot find policy",
                "load --input none | cannot open file",
                "save -o x.tgz registry://localhost:1/x:v1 | cannot find policy",
                "annotate -m none.yml -o x.wasm @ | none.yml",
                "bench @ -r r.json --num-samples many | Cannot convert 'num-samples'",
                "scaffold manifest -t AdmissionPolicy --title Bad_Title @ | Invalid title",
                "scaffold vap -p none.yml -b none.yml | cannot open none.yml",
                "scaffold artifacthub | metadata.yml",
                "test none | No such file or directory",
            })
    void tellsWhatIsWrong(String line, String keyWords) {
        SamplePolicies.write(directory.resolve("text.wasm"), "just text");
        SamplePolicies.write(directory.resolve("list.json"), "[]");
        SamplePolicies.write(directory.resolve("review.json"), "{\"kind\":\"AdmissionReview\"}");
        SamplePolicies.write(directory.resolve("partial.json"), "{\"uid\":\"1\"}");
        SamplePolicies.write(directory.resolve("bad.yaml"), "a: [");
        SamplePolicies.write(directory.resolve("kind.yaml"), "{apiVersion: v1, kind: Pod}");
        var words = line.replace("@plain", SamplePolicies.path("misbehaving/no-guest-call.wasm"))
                .replace("@", SamplePolicies.PRIVILEGED_PODS)
                .split(" ", -1);

        var result = kwctl.run(words);

        assertThat(result.err()).contains("Error: ").contains(keyWords);
        assertThat(result.out()).isEmpty();
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void runsSuitesAgainWhenAFileChanges() throws Exception {
        // Apart from the program's own output, which must not count as a change.
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
    void doesNotTakeItsOwnReportForAChange() throws Exception {
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

    /** A real terminal, of which tmux tells what is to be seen, with its colours. */
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
        // One each: a server that is going down still answers on its socket.
        var socket = "kwctl-test-" + ProcessHandle.current().pid() + "-" + terminals++;
        return kwctl.shell(List.of("bash", "-c", script, "bash", socket, command))
                .out();
    }

    /** {@code COMPREPLY} after what a user has typed, as bash itself fills it. */
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

    /** Typed into a real zsh, with the tabulator key. */
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

        var result = kwctl.shell(List.of(
                "bash",
                "-c",
                "command -v zsh >/dev/null || { echo found; exit 0; }; timeout 60 zsh -f -c \"$1\"",
                "bash",
                typing));

        assertThat(result.out()).as(result.err()).contains("found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fish"})
    void writesScriptsThatTheShellCanRead(String shell) throws Exception {
        var script = Files.writeString(
                directory.resolve("script"),
                kwctl.run("completions", "--shell", shell).out());

        var result = kwctl.shell(List.of(
                "bash", "-c", "command -v " + shell + " >/dev/null || exit 0; " + shell + " --no-execute " + script));

        assertThat(result.code()).as(result.err()).isZero();
    }
}
