package io.portcullis.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A server joins a cluster only when the controller names its PolicyServer, and no flag says that it is standalone. */
class StandaloneFlagTest {

    private static final Map<String, String> POD =
            Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "HOSTNAME", "policy-server-default-0");

    private static final Map<String, String> REPLICA = Map.of(
            "KUBEWARDEN_POLICY_SERVER_NAME", "default",
            "KUBEWARDEN_NAMESPACE", "kubewarden",
            "POD_NAME", "policy-server-default-0",
            "POD_UID", "1",
            "KUBEWARDEN_CACHE_DIR", "/cache",
            "KUBEWARDEN_CACHE_SIGNER_CERT", "/pki/tls.crt",
            "KUBEWARDEN_CACHE_SIGNER_KEY", "/pki/tls.key",
            "KUBEWARDEN_CACHE_CA", "/ca");

    @Test
    void aReplicaOfAPolicyServerJoinsTheCluster() throws Exception {
        assertThat(isStandalone(REPLICA)).isFalse();
    }

    @Test
    void aServerThatNoControllerConfiguresIsStandaloneAlsoInAPod() throws Exception {
        assertThat(isStandalone(Map.of())).isTrue();
        assertThat(isStandalone(POD)).isTrue();
        assertThat(isStandalone(Map.of("KUBEWARDEN_NAMESPACE", "kubewarden", "POD_NAME", "x-0")))
                .isTrue();
    }

    @Test
    void theFlagAndItsVariableSwitchAReplicaToStandalone() throws Exception {
        assertThat(isStandalone(REPLICA, "--standalone")).isTrue();
        assertThat(isStandalone(with(REPLICA, "KUBEWARDEN_STANDALONE", "true"))).isTrue();
        assertThat(isStandalone(with(REPLICA, "KUBEWARDEN_STANDALONE", "false")))
                .isFalse();
    }

    private static Map<String, String> with(Map<String, String> environment, String name, String value) {
        var all = new HashMap<>(environment);
        all.put(name, value);
        return all;
    }

    private static boolean isStandalone(Map<String, String> environment, String... arguments)
            throws InterruptedException {
        var settings = new AtomicReference<ServerSettings>();
        var err = new ByteArrayOutputStream();
        var code = new Program("policy-server", "", List.of(), ServerFlags.ALL, parsed -> {
                    settings.set(ServerSettings.from(parsed, environment, false));
                    return ExitCode.OK;
                })
                .run(
                        arguments,
                        environment,
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        new PrintStream(err, false, StandardCharsets.UTF_8));
        assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return settings.get().cluster().isEmpty();
    }
}
