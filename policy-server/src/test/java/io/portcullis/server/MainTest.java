package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that an operator gets one line and an exit code when the command line or a file is wrong. */
class MainTest {

    @TempDir
    Path dir;

    private record Exit(int code, String out, String err) {}

    private Exit run(Map<String, String> environment, String... arguments) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var code = Main.run(
                arguments,
                environment,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Exit(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private Exit serve(String yaml, String... arguments) throws InterruptedException, IOException {
        var file = dir.resolve("policies.yml");
        Files.writeString(file, yaml);
        var all = new ArrayList<>(List.of(
                "--addr=127.0.0.1",
                "--port=0",
                "--readiness-probe-port=0",
                "--policies=" + file,
                "--policies-download-dir=" + dir));
        all.addAll(List.of(arguments));
        return run(Map.of(), all.toArray(String[]::new));
    }

    private static void assertFails(Exit exit, int code, String line) {
        assertThat(exit.err()).isEqualTo("error: " + line + System.lineSeparator());
        assertThat(exit.code()).isEqualTo(code);
    }

    @Test
    void reportsInvalidFlagsAsUsageErrors() throws Exception {
        assertFails(
                run(Map.of(), "--policy-timeout", "abc"),
                2,
                "invalid value 'abc' for the option '--policy-timeout': expected a whole number from 0 to 2147483647");
        assertFails(
                run(Map.of(), "--workers=many"),
                2,
                "invalid value 'many' for the option '--workers': expected a whole number from 1 to 1024");
        assertFails(run(Map.of(), "--polices=x"), 2, "unexpected argument '--polices=x', did you mean '--policies'?");
        assertFails(
                run(Map.of("KUBEWARDEN_ENABLE_PPROF", "maybe")),
                2,
                "invalid value 'maybe' for the environment variable KUBEWARDEN_ENABLE_PPROF: expected true or false");
    }

    @Test
    void reportsContradictingFlagsAsUsageErrors() throws Exception {
        assertFails(run(Map.of(), "--cert-file=a"), 2, "both certificate and key must be provided together");
        assertFails(run(Map.of(), "--key-file=a"), 2, "both certificate and key must be provided together");
        assertFails(
                run(Map.of(), "--client-ca-file=a"),
                2,
                "client CA certificate requires server certificate and key to be specified");
        assertFails(
                run(Map.of("KUBEWARDEN_POLICY_SERVER_NAME", "default")),
                2,
                "with KUBEWARDEN_POLICY_SERVER_NAME the controller also sets KUBEWARDEN_NAMESPACE, POD_NAME,"
                        + " POD_UID, KUBEWARDEN_CACHE_DIR, KUBEWARDEN_CACHE_SIGNER_CERT, KUBEWARDEN_CACHE_SIGNER_KEY,"
                        + " KUBEWARDEN_CACHE_CA; to serve a policies file say --standalone or"
                        + " KUBEWARDEN_STANDALONE=true");
    }

    @Test
    void servesThePoliciesFileInAPodThatIsNoReplicaOfAPolicyServer() throws Exception {
        assertFails(
                run(
                        Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1"),
                        "--policies",
                        dir.resolve("absent.yml").toString()),
                1,
                "error while loading policies from \"" + dir.resolve("absent.yml") + "\": no such file");
    }

    @Test
    void failsToStartWithAnInvalidPoliciesFile() throws Exception {
        var file = dir.resolve("policies.yml");
        assertFails(
                serve("p: {module: m, settings: text}"),
                1,
                "error while loading policies from \"" + file
                        + "\": policy 'p': 'settings' must be an object, not text (line 1, column 26)");
        assertFails(
                serve("g: {expression: a(), message: no, policies: {a: {modul: m}}}"),
                1,
                "error while loading policies from \"" + file
                        + "\": policy group 'g', member 'a': 'modul' is not a key of a group member (line 1, column 57)");
        assertFails(
                serve("a/b: {module: m}"),
                1,
                "error while loading policies from \"" + file + "\": policy name 'a/b' contains a '/' character");
        assertFails(
                run(
                        Map.of(),
                        "--port=0",
                        "--readiness-probe-port=0",
                        "--policies-download-dir=" + dir,
                        "--policies=" + dir.resolve("none.yml")),
                1,
                "error while loading policies from \"" + dir.resolve("none.yml") + "\": no such file");
    }

    @Test
    void failsToStartWithInvalidTlsFiles() throws Exception {
        var file = dir.resolve("tls.pem");
        Files.writeString(file, "not a certificate");

        assertFails(serve("{}", "--cert-file=" + file, "--key-file=" + file), 1, "no certificate found in " + file);
        assertFails(
                serve("{}", "--cert-file=" + dir.resolve("none"), "--key-file=" + file),
                1,
                "cannot read " + dir.resolve("none") + ": no such file");
    }

    @Test
    void failFastReportsTheFirstCauseAndExits() throws Exception {
        assertFails(
                serve("p: {module: file:///nowhere.wasm}", "--fail-fast"),
                1,
                "p: Cannot find policy with uri: file:///nowhere.wasm");
    }

    @Test
    void failsToStartWhenThePortIsInUseAndNamesThePort() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (var flag : List.of("--port=", "--readiness-probe-port=")) {
                assertFails(
                        serve("{}", flag + taken.getLocalPort()),
                        1,
                        "cannot listen on port " + taken.getLocalPort() + " of 127.0.0.1: Address already in use");
            }
        }
    }

    @Test
    void reportsATotalBodyLimitBelowTheLargestBodyAsUsageError() throws Exception {
        assertFails(
                serve("{}", "--max-body-bytes=1000", "--max-total-body-bytes=1999"),
                2,
                "--max-total-body-bytes must be at least twice --max-body-bytes: 2000");
    }

    @Test
    void printsItsVersionAndWritesItsReference() throws Exception {
        assertThat(run(Map.of(), "--version").out()).contains("policy-server (Portcullis)");
        assertThat(run(Map.of(), "-V").code()).isZero();
        assertThat(run(Map.of(), "docs", "-o", dir.resolve("cli.md").toString()).code())
                .isZero();
        assertThat(dir.resolve("cli.md"))
                .content()
                .contains("`--always-accept-admission-reviews-on-namespace NAMESPACE`", "`KUBEWARDEN_LOG_FMT`");
    }

    @Test
    void theCommittedReferenceIsCurrent() throws Exception {
        run(Map.of(), "docs", "--output", dir.resolve("cli.md").toString());

        assertThat(Path.of("../docs/reference/policy-server.md"))
                .as("regenerate with: policy-server docs -o docs/reference/policy-server.md")
                .hasSameTextualContentAs(dir.resolve("cli.md"));
    }
}
