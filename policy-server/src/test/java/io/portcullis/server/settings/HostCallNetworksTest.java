package io.portcullis.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostCallNetworksTest {

    private static final Map<String, String> CLUSTER = Map.of(
            "KUBEWARDEN_POLICY_SERVER_NAME", "default",
            "KUBEWARDEN_NAMESPACE", "kubewarden",
            "POD_NAME", "policy-server-0",
            "POD_UID", "1",
            "KUBEWARDEN_CACHE_DIR", "/cache",
            "KUBEWARDEN_CACHE_SIGNER_CERT", "/cert",
            "KUBEWARDEN_CACHE_SIGNER_KEY", "/key",
            "KUBEWARDEN_CACHE_CA", "/ca");

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, false",
        "127.0.0.1, false",
        "169.254.169.254, false",
        "fd00::1, false",
        "100.64.0.1, false",
        "93.184.216.34, true",
    })
    void allowsPublicAddressesOnlyInAClusterByDefault(String address, boolean allowed) throws Exception {
        assertThat(networks(CLUSTER).allows("host.example", InetAddress.ofLiteral(address)))
                .isEqualTo(allowed);
    }

    @Test
    void allowsEverythingStandaloneByDefault() throws Exception {
        assertThat(networks(Map.of()).isEverything()).isTrue();
    }

    @Test
    void restrictsAStandaloneServerOnRequest() throws Exception {
        var networks = networks(Map.of(), "--host-call-allowed-networks", "10.1.0.0/16");

        assertThat(networks.allows("host.example", InetAddress.ofLiteral("10.1.0.1")))
                .isTrue();
        assertThat(networks.allows("host.example", InetAddress.ofLiteral("127.0.0.1")))
                .isFalse();
    }

    @Test
    void allowsTheNetworksThatTheOperatorLists() throws Exception {
        var networks = networks(CLUSTER, "--host-call-allowed-networks", "10.1.0.0/16,registry.corp");

        assertThat(networks.allows("host.example", InetAddress.ofLiteral("10.1.0.1")))
                .isTrue();
        assertThat(networks.allows("registry.corp", InetAddress.ofLiteral("10.2.0.1")))
                .isTrue();
        assertThat(networks.allows("host.example", InetAddress.ofLiteral("10.2.0.1")))
                .isFalse();
        assertThat(networks(CLUSTER, "--host-call-allowed-networks", "*").isEverything())
                .isTrue();
    }

    @Test
    void refusesToStartWithAnInvalidList() throws Exception {
        var err = new ByteArrayOutputStream();

        var code = program(new AtomicReference<>())
                .run(
                        new String[] {"--host-call-allowed-networks", "10.0.0.0/99"},
                        CLUSTER,
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8));

        assertThat(code).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--host-call-allowed-networks", "\"10.0.0.0/99\"");
    }

    private static AllowedNetworks networks(Map<String, String> environment, String... arguments)
            throws InterruptedException {
        var found = new AtomicReference<ServerSettings>();
        var err = new ByteArrayOutputStream();
        program(found)
                .run(
                        arguments,
                        environment,
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8));
        assertThat(found.get()).as(err.toString(StandardCharsets.UTF_8)).isNotNull();
        return found.get().sources().hostCallNetworks();
    }

    private static Program program(AtomicReference<ServerSettings> found) {
        return new Program("policy-server", "test", List.of("test"), ServerFlags.ALL, arguments -> {
            found.set(ServerSettings.from(arguments, Map.of(), false));
            return ExitCode.OK;
        });
    }
}
