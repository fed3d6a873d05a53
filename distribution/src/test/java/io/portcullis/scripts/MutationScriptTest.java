package io.portcullis.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./portcullis test --mutation} in a copy of the scripts, where Maven writes a report without mutating anything. */
class MutationScriptTest {

    private static final Path ROOT = Checkout.current().root();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    @BeforeEach
    void copyScripts() throws IOException {
        for (var file : new String[] {"portcullis", "distribution/launcher/find-jdk.sh", "distribution/mutation.sh"}) {
            Files.createDirectories(directory.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), directory.resolve(file));
        }
    }

    @Test
    void mutatesAllPackagesInTheProfile() throws IOException {
        mavenReports(noticed("lifecycle"), noticed("status"), noticed("precedence"), noticed("validation"));

        var outcome = mutate();

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(arguments())
                .contains(
                        "-Pmutation",
                        "-Dmutation.classes=io.portcullis.core.lifecycle.*,io.portcullis.core.status.*,"
                                + "io.portcullis.core.precedence.*,io.portcullis.core.validation.*");
        assertThat(outcome.output()).containsPattern("validation +1 +1 +100.0");
    }

    @Test
    void mutatesOnlyTheNamedPackages() throws IOException {
        mavenReports(noticed("status"));

        var outcome = mutate("status");

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(arguments()).contains("-Dmutation.classes=io.portcullis.core.status.*");
        assertThat(outcome.output()).doesNotContain("lifecycle");
    }

    @Test
    void failsBelowTheThresholdAndListsTheSurvivors() throws IOException {
        mavenReports(noticed("status"), survivor("status", "SURVIVED"), survivor("status", "NO_COVERAGE"));

        var outcome = mutate("status");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.output())
                .contains(
                        "Facts.java:7 replaced boolean return with true for io.portcullis.core.status.Facts::<init>\n",
                        "::<init> (no test runs the line)\n")
                .containsPattern("status +3 +1 +33.3 +below [0-9]+");
    }

    @Test
    void failsWhenAPackageHasNoMutants() throws IOException {
        mavenReports(noticed("status"));

        assertThat(mutate("status", "lifecycle").exitCode()).isEqualTo(1);
    }

    @Test
    void anUnknownPackageIsAWrongCommandLine() throws IOException {
        mavenReports(noticed("status"));

        var outcome = mutate("status", "webserver");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.errors()).contains("'webserver'", "lifecycle status precedence validation");
        assertThat(directory.resolve("arguments")).doesNotExist();
    }

    @Test
    void anUnknownOptionIsAWrongCommandLine() throws IOException {
        mavenReports(noticed("status"));

        var outcome = portcullis("test", "--mutate");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.errors()).contains("unknown option of test: --mutate", "--mutation [PACKAGE…]");
    }

    @Test
    void aFailedRunShowsItsErrorsAndNoOlderReport() throws IOException {
        mavenReports(noticed("status"));
        mutate("status");
        maven("echo '[ERROR] 2 tests did not pass without mutation'; exit 1");

        var outcome = mutate("status");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("2 tests did not pass without mutation", "core/target/mutation.log");
        assertThat(outcome.output()).doesNotContain("100.0");
    }

    private static String noticed(String inPackage) {
        return mutation(inPackage, "detected='true' status='KILLED'");
    }

    private static String survivor(String inPackage, String status) {
        return mutation(inPackage, "detected='false' status='" + status + "'");
    }

    /** One mutant as PIT reports it. */
    private static String mutation(String inPackage, String attributes) {
        return "<mutation " + attributes + " numberOfTestsRun='1'><sourceFile>Facts.java</sourceFile>"
                + "<mutatedClass>io.portcullis.core." + inPackage + ".Facts$Target</mutatedClass>"
                + "<mutatedMethod>&lt;init&gt;</mutatedMethod><lineNumber>7</lineNumber>"
                + "<description>replaced boolean return with true for io.portcullis.core." + inPackage
                + ".Facts::&lt;init&gt;</description></mutation>";
    }

    private void mavenReports(String... mutations) throws IOException {
        Files.writeString(
                directory.resolve("report"), "<mutations>\n" + String.join("\n", mutations) + "\n</mutations>\n");
        maven(
                "printf '%s\\n' \"$@\" >arguments; mkdir -p core/target/mutation; cp report core/target/mutation/mutations.xml");
    }

    private void maven(String script) throws IOException {
        var file = directory.resolve("mvnw");
        Files.writeString(file, "#!/bin/bash\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private List<String> arguments() throws IOException {
        return Files.readAllLines(directory.resolve("arguments"));
    }

    private ShellCommand.Outcome mutate(String... packages) {
        var arguments = new ArrayList<>(List.of("test", "--mutation"));
        arguments.addAll(List.of(packages));
        return portcullis(arguments.toArray(String[]::new));
    }

    private ShellCommand.Outcome portcullis(String... arguments) {
        var command = new ArrayList<>(List.of(directory.resolve("portcullis").toString()));
        command.addAll(List.of(arguments));
        return ShellCommand.of(command.toArray(String[]::new)).attempt();
    }
}
