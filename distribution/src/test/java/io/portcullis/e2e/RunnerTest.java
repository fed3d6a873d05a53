package io.portcullis.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ./portcullis e2e} without a cluster: kubectl and helm are scripts that record how they were called. */
class RunnerTest {

    private static final Path ROOT = Checkout.current().root();
    private static final List<String> ENOUGH = List.of("--context", "ours", "--policies-registry", "localhost:5000/p");
    /** A cluster without our namespaces and definitions; it answers every other question with nothing. */
    private static final String EMPTY_CLUSTER = """
            case $* in
              *'config view'*) echo https://cluster.example.com ;;
              *'get namespace '*) exit 1 ;;
            esac
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    private Path calls() {
        return directory.resolve("calls");
    }

    @BeforeEach
    void makeTools() throws IOException {
        Files.createDirectories(directory.resolve("bin"));
        Files.createDirectories(directory.resolve("situations"));
        tool("kubectl", EMPTY_CLUSTER);
        tool("helm", "exit 1\n");
        situation("01-install", "# An operator installs.\nnote installing\n");
        situation("10-good", "# It works.\nkubectl get good\n");
    }

    private void tool(String name, String script) throws IOException {
        var file = Files.writeString(
                directory.resolve("bin").resolve(name),
                "#!/bin/bash\necho \"" + name + " $*\" >>'" + calls() + "'\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void situation(String name, String script) throws IOException {
        Files.writeString(directory.resolve("situations").resolve(name + ".sh"), script);
    }

    private ShellCommand.Outcome run(List<String> words) {
        return command(words)
                .with("E2E_SITUATIONS", directory.resolve("situations").toString())
                .attempt();
    }

    private ShellCommand.Outcome runWith(String... more) {
        var words = new ArrayList<>(ENOUGH);
        words.addAll(List.of(more));
        return run(words);
    }

    private ShellCommand command(List<String> words) {
        var all = new ArrayList<>(List.of(ROOT.resolve("portcullis").toString(), "e2e"));
        all.addAll(words);
        return ShellCommand.of(all).with("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
    }

    @Test
    void refusesToRunWithoutAContextAndCallsNothing() {
        var outcome = run(List.of("--policies-registry", "localhost:5000/p"));

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.errors()).contains("say which cluster: --context NAME");
        assertThat(calls()).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--context ours | say where the policies are: --policies-registry",
                "--context | --context needs a value",
                "--context --keep | --context needs a value",
                "--contxt ours | no such flag: --contxt",
                "--context ours --policies-registry registry://r/p | --policies-registry has no scheme: r/p",
                "--context ours --policies-registry r/p god | no such situation: god",
                "--context ours --policies-registry r/p --timeout soon | --timeout is a number of seconds, not: soon",
                "--context ours --policies-registry r/p --namespace No_Name | not the name of a namespace: No_Name",
                "--context ours --policies-registry r/p --values none.yaml | --values: no such file: none.yaml",
                "--context ours --policies-registry r/p --kubeconfig none | --kubeconfig: no such file: none",
                "--context ours --policies-registry r/p --skip-install --image-tag v1 | not with --skip-install",
                "--context ours --policies-registry r/p --skip-install install | contradict each other"
            })
    void argumentsThatMakeNoSenseAreNamed(String arguments, String message) {
        var outcome = run(List.of(arguments.split(" ")));

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.errors()).contains(message).contains("see: ./portcullis e2e --help");
        assertThat(calls()).doesNotExist();
    }

    @Test
    void helpIsPartOfTheEntryPoint() {
        assertThat(command(List.of("--help")).run()).contains("--policies-registry HOST/PATH", "Exit codes:");
        assertThat(ShellCommand.of(ROOT.resolve("portcullis").toString(), "help")
                        .run())
                .contains("e2e     --context NAME");
    }

    @Test
    void listPrintsOneSentenceForEachSituationOfTheSuite() {
        var listed = command(List.of("--list")).run();

        assertThat(listed.lines()).hasSizeGreaterThan(10).allMatch(line -> line.matches("[a-z-]+ +[A-Z].*[^.]\\."));
        assertThat(listed).startsWith("install ").contains("\nvalidate ").contains("\nuninstall ");
    }

    @Test
    void everySituationIsProperShell() throws IOException {
        try (var files = Files.list(ROOT.resolve("e2e/situations"))) {
            assertThat(files.toList()).allSatisfy(file -> {
                assertThat(file.getFileName().toString()).matches("\\d\\d-[a-z-]+\\.sh");
                assertThat(ShellCommand.of("bash", "-n", file.toString()).run()).isEmpty();
                // With pipefail such a pipe fails whenever grep ends before the command that it reads from.
                assertThat(file).content().doesNotContain("| grep -q");
            });
        }
    }

    @Test
    void namesTheClusterReportsEachSituationAndRemovesWhatItMade() throws IOException {
        var outcome = runWith();

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(outcome.output())
                .startsWith("Cluster: context ours, https://cluster.example.com")
                .contains("Portcullis: namespace portcullis-e2e")
                .containsPattern("(?m)^ok +\\d+ s  install$")
                .containsPattern("(?m)^ok +\\d+ s  good$")
                .containsPattern("(?m)^2 ok, 0 not ok, \\d+ s$");
        assertThat(Files.readString(calls()).lines())
                .contains("kubectl --context ours get good")
                .anyMatch(call -> call.startsWith("kubectl --context ours delete namespaces -l portcullis.io/e2e "))
                .allMatch(call -> call.matches("(kubectl --context|helm --kube-context) ours .*"));
    }

    @Test
    void aFailingSituationShowsWhyAndMakesTheExitCodeOneWhileOthersRun() throws IOException {
        situation("05-bad", "# It does not work.\nnote 'before the end'\nfail 'this is the cause'\n");

        var outcome = runWith();

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.output())
                .containsPattern("(?m)^not ok +\\d+ s  bad: It does not work\\.$")
                .contains("before the end", "FAILED: this is the cause", "--- logs of our pods", "--- policy servers")
                .containsPattern("(?m)^ok +\\d+ s  good$")
                .contains("2 ok, 1 not ok");
    }

    @Test
    void aCommandThatFailsInTheMiddleOfASituationIsAFailure() throws IOException {
        situation("10-good", "# It works.\nfalse\ntrue\n");

        assertThat(runWith().exitCode()).isEqualTo(1);
    }

    @Test
    void aSituationThatHangsEnds() throws IOException {
        situation("10-good", "# It works.\nsleep 600\n");

        var outcome = runWith("--timeout", "1");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.output()).contains("not ok", "The situation took longer than 5 s.");
    }

    @Test
    void aWaitHasATimeLimit() throws IOException {
        situation("10-good", "# It works.\nawait 'a miracle' false\n");

        assertThat(runWith("--timeout", "1").output()).contains("FAILED: waited 1 s for a miracle");
    }

    @Test
    void nothingRunsAfterAFailedInstallation() throws IOException {
        situation("01-install", "# An operator installs.\nfail 'no room'\n");

        var outcome = runWith("good");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.output()).contains("not ok").doesNotContain("s  good");
    }

    @Test
    void runsOnlyTheSituationsThatAreNamedOnANewInstallation() throws IOException {
        situation("20-other", "# It works, too.\ntrue\n");

        assertThat(runWith("good").output()).contains("s  install", "s  good").doesNotContain("s  other");
    }

    @Test
    void keepsEverythingIfAsked() throws IOException {
        var outcome = runWith("--keep");

        assertThat(outcome.output()).contains("Kept: the installation in namespace portcullis-e2e");
        assertThat(Files.readString(calls())).doesNotContain(" delete ");
    }

    @Test
    void refusesAClusterOnWhichAnotherInstallationRuns() throws IOException {
        tool("kubectl", "case $* in *'get deployments'*) echo kubewarden ;; esac\n" + EMPTY_CLUSTER);

        var outcome = runWith();

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("installed in namespace kubewarden already: use --skip-install");
        assertThat(Files.readString(calls())).doesNotContain(" delete ");
    }

    @Test
    void refusesANamespaceThatItHasNotMade() throws IOException {
        tool("kubectl", "exit 0\n");

        var outcome = runWith("--namespace", "theirs");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("namespace theirs exists and was not made by this suite");
        assertThat(Files.readString(calls())).doesNotContain(" delete ");
    }

    @Test
    void leavesAnInstallationAloneThatItFound() throws IOException {
        tool("kubectl", "case $* in *'get deployments'*) echo kubewarden ;; esac\n" + EMPTY_CLUSTER);
        situation("99-uninstall", "# An operator uninstalls.\nfalse\n");

        var outcome = runWith("--skip-install");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.output())
                .contains("Portcullis: namespace kubewarden (not installed by this run)")
                .containsPattern("(?m)^skip +install$")
                .containsPattern("(?m)^skip +uninstall$")
                .containsPattern("(?m)^ok +\\d+ s  good$");
        assertThat(Files.readString(calls())).doesNotContain("helm ");
        assertThat(runWith("--skip-install", "uninstall").exitCode()).isEqualTo(2);
    }
}
