package io.portcullis.testkit.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import org.junit.jupiter.api.Test;

class FreePortTest {

    private static final Path OUTGOING = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    @Test
    void findsPortsOutsideTheRangeOfOutgoingConnections() throws IOException {
        try (var outgoing = new Scanner(OUTGOING, StandardCharsets.US_ASCII)) {
            assertThat(FreePort.find()).isBetween(10_000, outgoing.nextInt() - 1);
        }
    }

    @Test
    void findsAPortThatAServerCanListenOn() throws IOException {
        int port = FreePort.find();

        try (var server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(server.getLocalPort()).isEqualTo(port);
        }
    }
}
