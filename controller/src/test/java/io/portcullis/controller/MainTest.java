package io.portcullis.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid command line gives one error line and an exit code. */
class MainTest {

    private record Result(int code, String err) {}

    private static Result run(String... arguments) throws InterruptedException {
        var err = new ByteArrayOutputStream();
        var code = Main.run(
                arguments,
                Map.of(),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Result(code, err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--leader-elect | the option '--deployments-namespace' needs to be given",
                "--webhook-server-port=0 | invalid value '0' for the option '--webhook-server-port': expected a whole number from 1 to 65535",
                "--metrics-bind-address=8088 | invalid value '8088' for the option '--metrics-bind-address': expected an address such as :8081 or 127.0.0.1:8081, or 0 for none",
                "--health-probe-bind-address=:70000 | invalid value ':70000' for the option '--health-probe-bind-address': expected an address such as :8081 or 127.0.0.1:8081, or 0 for none",
                "--policy-identity-scheme=other | invalid value 'other' for the option '--policy-identity-scheme': expected one of dotted, legacy",
            })
    void reportsInvalidFlagsAsUsageErrors(String flag, String line) throws Exception {
        var result = flag.startsWith("--leader") ? run(flag) : run("--deployments-namespace=kubewarden", flag);

        assertThat(result.err()).isEqualTo("error: " + line + System.lineSeparator());
        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void rejectsSidecarsWithHostNetwork() throws Exception {
        var result = run("--deployments-namespace=kubewarden", "--host-network", "--enable-otel-sidecar");

        assertThat(result.err())
                .isEqualTo(
                        "error: --enable-otel-sidecar and --host-network exclude each other" + System.lineSeparator());
        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void theReferencePageIsUpToDate(@TempDir Path dir) throws Exception {
        var written = dir.resolve("controller.md");

        assertThat(run("docs", "--output", written.toString()).code()).isZero();

        assertThat(Files.readString(Path.of("../docs/reference/controller.md")))
                .as("run: ./portcullis controller docs --output docs/reference/controller.md")
                .isEqualTo(Files.readString(written));
    }
}
