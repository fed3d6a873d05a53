package io.portcullis.audit;

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

/** Tests the parts of the command line that need no cluster. */
class MainTest {

    @TempDir
    Path dir;

    private record ScanResult(int code, String out, String err) {}

    private static ScanResult run(String... arguments) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var code = Main.run(
                arguments,
                Map.of(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new ScanResult(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n a -c                | --namespace and --cluster exclude each other",
                "--client-cert x        | --client-cert and --client-key must be given together",
                "--client-key x         | --client-cert and --client-key must be given together",
                "-u nonsense            | invalid value 'nonsense' for the option '--policy-server-url': expected a URL such as https://localhost:3000",
                "--page-size 0          | invalid value '0' for the option '--page-size': expected a whole number from 1 to 10000",
                "--report-kind openreport | invalid value 'openreport' for the option '--report-kind': expected one of openreports, policyreport",
                "-l loud                | invalid value 'loud' for the option '--loglevel': expected one of debug, info, warning, error",
                "--namespce a           | unexpected argument '--namespce', did you mean '--namespace'?",
            })
    void rejectsInvalidFlagsWithAUsageError(String arguments, String line) throws Exception {
        var ended = run(arguments.split(" ", -1));

        assertThat(ended.err()).isEqualTo("error: " + line + System.lineSeparator());
        assertThat(ended.code()).isEqualTo(2);
    }

    @Test
    void committedReferenceIsCurrent() throws Exception {
        assertThat(run("docs", "-o", dir.resolve("cli.md").toString()).code()).isZero();

        assertThat(Path.of("../docs/reference/audit-scanner.md"))
                .as("regenerate with: audit-scanner docs -o docs/reference/audit-scanner.md")
                .hasSameTextualContentAs(dir.resolve("cli.md"));
    }

    @Test
    void reportsAnUnreachableClusterInOneLine() throws Exception {
        var kubeconfig = dir.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: u, user: {}}]
                """);
        var err = new ByteArrayOutputStream();
        var code = Main.run(
                new String[0],
                Map.of("KUBECONFIG", kubeconfig.toString()),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));

        assertThat(code).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("error: nothing was audited: GET /api/v1: ConnectException");
    }
}
