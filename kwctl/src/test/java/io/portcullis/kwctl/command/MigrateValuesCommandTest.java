package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigrateValuesCommandTest {

    private static final String SINGLE_CHART = """
            # Values of the chart admission-controller
            global: {priorityClassName: high}
            image: {tag: v1.37.2}
            replicas: 2
            installPolicyReportCRDs: true
            policyServer:
              imagePullSecret: null
              sourceAuthorities:
              - uri: registry.example.com
                certs: [PEM]
            """;

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void files() {
        kwctl = new KwctlRunner(directory);
        write("values.yaml", SINGLE_CHART);
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    @Test
    void printsTheValuesOfEachChartAndWhatChanges() {
        var result = kwctl.run("migrate", "values", "values.yaml");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEqualTo("""
                        # Values of portcullis-crds
                        installPolicyReportCRDs: true
                        ---
                        # Values of portcullis
                        global:
                          priorityClassName: high
                        replicas: 2
                        ---
                        # Values of portcullis-defaults
                        global:
                          priorityClassName: high
                        policyServer:
                          imagePullSecret: null
                          sourceAuthorities:
                            registry.example.com:
                            - PEM
                        """);
        assertThat(result.err()).isEqualTo("""
                        Taken as they are: 4
                        Mapped:
                          policyServer.sourceAuthorities: the list becomes a mapping of URI to certificates
                        Refused, and left out:
                          image.tag: it is a version of Kubewarden; the chart's default applies
                        """);
    }

    @Test
    void writesOneFileForEachChart() throws IOException {
        var result = kwctl.run("migrate", "values", "-o", "new/converted", "values.yaml");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEmpty();
        try (var files = Files.list(directory.resolve("new/converted"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("portcullis-crds.yaml", "portcullis.yaml", "portcullis-defaults.yaml");
        }
        assertThat(Files.readString(directory.resolve("new/converted/portcullis.yaml")))
                .isEqualTo("""
                        # Values of portcullis
                        global:
                          priorityClassName: high
                        replicas: 2
                        """);
    }

    @Test
    void mergesFilesAndStandardInputInTheirOrder() {
        write("more.yaml", "replicas: 3\nlogLevel: debug\n");

        var result = kwctl.input("replicas: 4").run("migrate", "values", "values.yaml", "more.yaml", "-");

        assertThat(result.code()).isZero();
        assertThat(result.out()).contains("replicas: 4\n", "logLevel: debug\n").doesNotContain("replicas: 3");
    }

    @Test
    void acceptsAnEmptyFile() {
        var result = kwctl.input("# nothing\n").run("migrate", "values", "-");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEqualTo("""
                        # Values of portcullis-crds
                        {}
                        ---
                        # Values of portcullis
                        {}
                        ---
                        # Values of portcullis-defaults
                        {}
                        """);
        assertThat(result.err()).isEqualTo("Taken as they are: 0\n");
    }

    @Test
    void neverOverwritesItsInput() throws IOException {
        write("portcullis.yaml", "replicas: 2\n");

        var result = kwctl.run("migrate", "values", "--output-dir", ".", "portcullis.yaml");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("would overwrite the input", "name another directory");
        assertThat(Files.readString(directory.resolve("portcullis.yaml"))).isEqualTo("replicas: 2\n");
        assertThat(directory.resolve("portcullis-crds.yaml")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "[1, 2]; holds a list, but values are a mapping",
                "just words; holds a single value, but values are a mapping",
                "a: [; cannot parse bad.yaml",
                "{a: 1}\\n---\\n{b: 2}; more than one document",
                "{a: 1, a: 2}; given twice",
            })
    void rejectsInputThatIsNotAValuesFile(String text, String message) {
        write("bad.yaml", text.replace("\\n", "\n"));

        var result = kwctl.run("migrate", "values", "values.yaml", "bad.yaml");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(message, "bad.yaml").doesNotContain("Exception");
    }

    @Test
    void rejectsAFileThatExpandsByAliases() {
        var text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (var i = 1; i < 9; i++) {
            text.append("a%1$d: &a%1$d [*a%2$d, *a%2$d, *a%2$d, *a%2$d, *a%2$d, *a%2$d, *a%2$d, *a%2$d]\n"
                    .formatted(i, i - 1));
        }
        write("bomb.yaml", text.toString());

        var result = kwctl.run("migrate", "values", "bomb.yaml");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("cannot parse bomb.yaml");
    }

    @Test
    void reportsTheNameOfAnUnreadableFile() {
        assertThat(kwctl.run("migrate", "values", "missing.yaml")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("cannot read file missing.yaml", "No such file");
        });
        assertThat(kwctl.run("migrate", "values", ".").code()).isEqualTo(1);
        assertThat(kwctl.run("migrate", "values").code()).isEqualTo(2);
    }
}
