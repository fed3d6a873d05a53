package io.portcullis.kwctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of the process: help, version, exit codes, standard output and standard error. */
class KwctlTest {

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlRunner(directory);
    }

    @Test
    void printsHelpOnStandardErrorWithoutArguments() {
        var result = kwctl.run();

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("Usage: kwctl [OPTIONS] <COMMAND>").contains("\n  annotate ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help", "help"})
    void printsHelpOnStandardOutputOnRequest(String word) {
        var result = kwctl.run(word);

        assertThat(result.code()).isZero();
        assertThat(result.out()).startsWith("Tool to manage Kubewarden policies\n\nUsage: kwctl [OPTIONS] <COMMAND>\n");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void mentionsProxiesOnlyInTheLongHelp() {
        assertThat(kwctl.run("--help").out()).contains("HTTPS_PROXY");
        assertThat(kwctl.run("-h").out()).doesNotContain("HTTPS_PROXY");
    }

    @Test
    void printsTheVersionOfThePom() throws Exception {
        var pom = Files.readString(Path.of("pom.xml"));
        var version = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
        assertThat(version.find()).isTrue();

        assertThat(kwctl.run("-V").out()).isEqualTo("kwctl " + version.group(1) + "\n");
        assertThat(kwctl.run("--version").out())
                .startsWith("kwctl " + version.group(1) + "\n\n")
                .contains("kwctl info");
    }

    @Test
    void printsHelpOfSubcommandsAtEveryLevel() {
        assertThat(kwctl.run("help", "scaffold", "vap").out())
                .contains("Usage: kwctl scaffold vap [OPTIONS] --binding");
        assertThat(kwctl.run("scaffold", "help", "vap").out()).contains("Usage: kwctl scaffold vap");
        assertThat(kwctl.run("scaffold", "vap", "-h").out()).contains("Usage: kwctl scaffold vap");
    }

    @Test
    void suggestsASimilarSubcommand() {
        var result = kwctl.run("inspct", "x");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("""
                        error: unrecognized subcommand 'inspct'

                          tip: a similar subcommand exists: 'inspect'

                        Usage: kwctl [OPTIONS] <COMMAND>

                        For more information, try '--help'.
                        """);
    }

    @Test
    void requiresASubcommandOfScaffold() {
        var result = kwctl.run("scaffold");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).startsWith("""
                        error: 'kwctl scaffold' requires a subcommand but one was not provided
                          [subcommands: admission-request, artifacthub, manifest, policy-group, vap, verification-config, help]
                        """);
    }

    @Test
    void rejectsUnknownFlagsBeforeTheSubcommand() {
        assertThat(kwctl.run("--frobnicate", "info").err())
                .startsWith("error: unexpected argument '--frobnicate' found\n");
    }

    @Test
    void hidesTheOldNameOfScaffoldManifestButKeepsItWorking() {
        assertThat(kwctl.run("-h").out()).doesNotContain("\n  manifest ");
        assertThat(kwctl.run("manifest", "-h").out()).contains("Usage: kwctl scaffold manifest");
    }

    @Test
    void printsErrorsWithTheirCausesOnly() {
        var result = kwctl.run("docs", "-o", "no/such/directory/x.md");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("""
                        Error: cannot create file no/such/directory/x.md

                        Caused by:
                            No such file or directory (os error 2)
                        """);
    }

    @Test
    void addsABacktraceOnRequest() {
        assertThat(kwctl.with("RUST_BACKTRACE", "1")
                        .run("docs", "-o", "no/such/x.md")
                        .err())
                .contains("\nStack backtrace:\n")
                .contains("DocsCommand");
    }

    @Test
    void showsVersionsAndDirectories() {
        var result = kwctl.run("info");

        assertThat(result.out())
                .startsWith("kwctl version: 0.1.0\n")
                .contains("  - json.patch\n", "  - sprintf\n")
                .endsWith("""

                        Policy store: %1$s/cache/kubewarden/store
                        Config directory: %1$s/config/kubewarden
                        kwctl cache directory: %1$s/cache/kubewarden/kwctl
                        """.formatted(directory));
        assertThat(result.err()).isEmpty();
    }

    @Test
    void listsCommandsAlphabetically() {
        var names = kwctl.run("-h")
                .out()
                .lines()
                .filter(line -> line.matches(" {2}[a-z].*"))
                .map(line -> line.strip().split(" ", 2)[0])
                .toList();

        assertThat(names.subList(0, names.size() - 1)).isSorted();
        assertThat(names).endsWith("help").containsAll(List.of("annotate", "inspect", "scaffold"));
    }
}
