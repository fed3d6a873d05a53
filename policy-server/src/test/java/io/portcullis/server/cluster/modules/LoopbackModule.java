package io.portcullis.server.cluster.modules;

import com.sun.net.httpserver.HttpServer;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;

/**
 * A web server on loopback that serves one module, and a transport that may reach it. Needed because clusters accept no
 * files.
 */
public final class LoopbackModule implements AutoCloseable {

    private final HttpServer server;
    private final Transport transport;

    public LoopbackModule(byte[] wasm) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/policy.wasm", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, wasm.length);
                exchange.getResponseBody().write(wasm);
            }
        });
        server.start();
        transport = new Transport(new Sources(Set.of(host()), Map.of(), Proxies.NONE));
    }

    private String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    public String url() {
        return "http://" + host() + "/policy.wasm";
    }

    public Transport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
        server.stop(0);
    }
}
