package io.portcullis.process.http;

import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;

/**
 * A port that serves HTTP/1.1 and HTTP/2, plain (with prior knowledge) or over TLS (by ALPN). One virtual thread per
 * connection, and per stream in HTTP/2.
 */
public final class Listener implements AutoCloseable {

    private final Http2Connections http2 = new Http2Connections();
    private final AtomicBoolean leaving = new AtomicBoolean();
    private final Duration grace;
    private final WebServer server;

    /** How connections are secured. */
    public record Security(SSLContext context, boolean requiresClientCertificate) {}

    /**
     * Listens from now on.
     *
     * @param grace how long requests under way may take after {@link #close}
     * @param handler of every request
     */
    public Listener(InetSocketAddress address, Optional<Security> security, Duration grace, Handler handler) {
        this.grace = grace;
        var builder = WebServer.builder()
                .shutdownHook(false)
                .featuresDiscoverServices(false)
                .bindAddress(address)
                .shutdownGracePeriod(grace)
                .backlog(1024)
                // With Nagle's algorithm every HTTP/2 answer waits 40 ms for the client's acknowledgement.
                .connectionOptions(options -> options.tcpNoDelay(true))
                .directHandlers(errors())
                .addConnectionSelector(http2)
                .routing(HttpRouting.builder().any(this::closeWhenLeaving, handler));
        security.ifPresent(tls -> builder.tls(Tls.builder()
                .sslContext(tls.context())
                .clientAuth(tls.requiresClientCertificate() ? TlsClientAuth.REQUIRED : TlsClientAuth.NONE)
                .build()));
        server = builder.build().start();
    }

    private void closeWhenLeaving(ServerRequest request, ServerResponse response) {
        if (leaving.get() && request.prologue().protocolVersion().equals("1.1")) {
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
        response.next();
    }

    /** Requests that Helidon refuses before they reach us, in our form. */
    private static DirectHandlers errors() {
        DirectHandler handler = (request, type, status, headers, message) -> {
            headers.set(HeaderValues.create(HeaderNames.CONTENT_TYPE, "application/json"));
            return DirectHandler.TransportResponse.builder()
                    .status(status)
                    .headers(headers)
                    .keepAlive(false)
                    .entity(ErrorBody.of(status.code(), status.reasonPhrase()))
                    .build();
        };
        var handlers = DirectHandlers.builder();
        for (var type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, handler);
        }
        return handlers.build();
    }

    public int port() {
        return server.port();
    }

    /** Goes on serving, but HTTP/1.1 clients are asked to come back on a new connection, which may lead elsewhere. */
    public void leave() {
        leaving.set(true);
    }

    /** Tells clients to leave, lets requests under way finish and accepts no more connections. */
    @Override
    public void close() {
        leave();
        try {
            http2.sayGoodbye(grace);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever is in such a hurry gets no goodbye
        }
        server.stop();
    }
}
