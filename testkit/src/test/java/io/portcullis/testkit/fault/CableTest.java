package io.portcullis.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CableTest {

    @Test
    void forwardsUntilItIsCutAndAfterItIsMended() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        try (var cable = Cable.to("127.0.0.1", server.getAddress().getPort());
                var http = HttpClient.newHttpClient();
                var open = new Socket(InetAddress.getLoopbackAddress(), cable.port())) {
            assertThat(status(http, cable)).isEqualTo(204);

            cable.cut();
            assertThatThrownBy(() -> status(http, cable)).isInstanceOf(IOException.class);
            open.setSoTimeout(5000);
            assertThat(open.getInputStream().read()).isEqualTo(-1);

            cable.mend();
            assertThat(status(http, cable)).isEqualTo(204);
        } finally {
            server.stop(0);
        }
    }

    private static int status(HttpClient http, Cable cable) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cable.port() + "/"))
                .timeout(Duration.ofSeconds(5))
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }
}
