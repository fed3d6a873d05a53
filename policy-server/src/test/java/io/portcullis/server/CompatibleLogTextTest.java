package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.process.logging.LogFormat;
import io.portcullis.process.logging.LogSettings;
import io.portcullis.process.logging.Logging;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.process.tls.TlsFiles;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.UntrustedModules;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** Checks log texts that scripts for Kubewarden search for in the log of a policy server. */
class CompatibleLogTextTest {

    private static final Path TLS = Path.of("../process/src/test/resources/tls");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @BeforeEach
    void captureLog() {
        Logging.configure(new LogSettings(Level.INFO, LogFormat.TEXT, false, out));
    }

    @AfterEach
    void resetLog() {
        Logging.configure(new LogSettings(Level.WARN, LogFormat.TEXT, false, System.err));
    }

    private String logged() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void logsLoadedClientAuthorities() {
        var files = new TlsFiles(TLS.resolve("first.crt"), TLS.resolve("first.key"), List.of(TLS.resolve("root.crt")));
        try (var _ = ServerTls.start(files)) {
            assertThat(logged()).containsPattern("certs: Loaded client CA certificates client_ca_certs_added=[1-9]");
        }
    }

    @Test
    void logsTheVerdictOfAPolicyInMonitorMode() throws Exception {
        try (var server = new RunningServer(
                directory, "a: {module: $POLICIES/privileged-pods/policy.wasm, policyMode: monitor}\n")) {
            captureLog(); // The server has configured logging again.
            assertThat(server.http().post("/validate/a", Reviews.allowed()).body())
                    .contains("\"allowed\":true");
            assertThat(logged()).contains("policy evaluation (monitor mode)", "allowed: true");
            out.reset();

            assertThat(server.http().post("/validate/a", Reviews.rejected()).body())
                    .contains("\"allowed\":true")
                    .doesNotContain("Privileged container is not allowed");
            assertThat(logged())
                    .contains(
                            "policy evaluation (monitor mode)",
                            "allowed: false",
                            "Privileged container is not allowed");
        }
    }

    @Test
    void loadsAPoliciesFileOfAnEarlierReleaseAndWarns() throws Exception {
        try (var server = new RunningServer(directory, "{}")) {
            captureLog(); // The server has configured logging again.
            server.write("""
                    a: {url: $POLICIES/privileged-pods/policy.wasm}
                    g: {policies: [{name: p, module: $POLICIES/privileged-pods/policy.wasm}], expression: p(), message: no}
                    """);

            await().untilAsserted(() -> assertThat(server.http()
                            .post("/validate/g", Reviews.rejected())
                            .body())
                    .contains("\"allowed\":false"));
            assertThat(server.http().post("/validate/a", Reviews.rejected()).body())
                    .contains("Privileged container is not allowed");
            assertThat(logged())
                    .contains(
                            "policy 'a': the key 'url' is deprecated; use 'module'",
                            "policy group 'g': a list of 'policies' is deprecated");
        }
    }

    @Test
    void logsARejectedSignature() {
        var failing = new PolicyVerification() {
            @Override
            public String verify(ImageReference image) {
                throw new ArtifactException(Reason.SIGNATURE, "not signed");
            }

            @Override
            public String wasmDigest(ImageReference pinned) {
                throw new AssertionError("not verified");
            }
        };
        try (var module = new LoopbackModule(new byte[0])) {
            var modules = UntrustedModules.in(
                    directory,
                    module.transport(),
                    () -> {
                        throw new ArtifactException(Reason.LOCAL_IO, "no key");
                    },
                    Optional.of(failing));
            assertThatThrownBy(() -> modules.resolve("registry://registry.example/policy:v1"))
                    .isInstanceOf(ArtifactException.class);
        }
        assertThat(logged())
                .contains("verifying policy authenticity and integrity using sigstore", "policy cannot be verified");
    }
}
