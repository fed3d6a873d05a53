package io.portcullis.process.http;

import io.helidon.common.context.Context;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.NioSocket;
import io.helidon.common.socket.TlsNioSocket;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.media.MediaContext;
import io.helidon.webserver.ErrorHandling;
import io.helidon.webserver.ListenerConfig;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.spi.ServerConnectionSelector;
import io.portcullis.process.http.ClientConnection.Admission;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import javax.net.ssl.SSLEngine;

/**
 * HTTP/1.1, HTTP/2 and TLS of one listener: Helidon's implementation with our limits. {@link Listener} accepts connections itself. Helidon's
 * own listener stops permanently when the process runs out of file descriptors, and has no time limit for slow clients.
 */
record Protocols(
        Optional<Listener.Security> security,
        ServerConnectionSelector http1,
        ServerConnectionSelector http2,
        Router router,
        Context context,
        MediaContext mediaContext,
        ContentEncodingContext contentEncodingContext,
        DirectHandlers directHandlers,
        ListenerConfig config,
        ExecutorService executor)
        implements ListenerContext {

    private static final String[] TLS_VERSIONS = {"TLSv1.3", "TLSv1.2"};
    private static final List<String> HTTP_VERSIONS = List.of("h2", "http/1.1");

    /** How many bytes an HTTP/2 client may send before a handler reads them. This is the initial window size of HTTP/2. */
    private static final int WINDOW_BYTES = 65_535;

    static Protocols of(
            Optional<Listener.Security> security,
            ListenerLimits limits,
            DirectHandlers errors,
            Handler handler,
            ExecutorService streams) {
        var http2 = Http2Config.builder()
                .maxConcurrentStreams(limits.maxStreams())
                .initialWindowSize(WINDOW_BYTES)
                .maxHeaderListSize(limits.maxHeaderBytes())
                .flowControlTimeout(limits.bodyTimeout())
                .validatePath(false) // a bad path must fail one request, not the connection
                .build();
        var http1 =
                Http1Config.builder().maxHeadersSize(limits.maxHeaderBytes()).build();
        return new Protocols(
                security,
                Http1ConnectionSelector.builder()
                        .config(http1)
                        // No upgrades: an upgraded connection would escape our time limits. API servers never upgrade.
                        .upgraders(Map.of())
                        .build(),
                Http2ConnectionSelector.builder().http2Config(http2).build(),
                Router.builder().addRouting(HttpRouting.builder().any(handler)).build(),
                Context.create(),
                MediaContext.create(),
                ContentEncodingContext.create(),
                errors,
                ListenerConfig.builder()
                        .errorHandling(
                                ErrorHandling.builder().includeEntity(true).build())
                        .buildPrototype(),
                streams);
    }

    HelidonSocket socket(SocketChannel channel, String id, Admission admission) {
        return security.<HelidonSocket>map(tls -> TlsNioSocket.server(channel, engine(tls, admission), id, ""))
                .orElseGet(() -> NioSocket.server(channel, id, ""));
    }

    private static SSLEngine engine(Listener.Security tls, Admission admission) {
        var engine = tls.context().createSSLEngine();
        engine.setUseClientMode(false);
        var parameters = engine.getSSLParameters();
        parameters.setProtocols(TLS_VERSIONS);
        parameters.setNeedClientAuth(tls.requiresClientCertificate() && admission != Admission.SELF_CHECK);
        engine.setSSLParameters(parameters);
        engine.setHandshakeApplicationProtocolSelector((_, offered) ->
                offered.stream().filter(HTTP_VERSIONS::contains).findFirst().orElse(null));
        return engine;
    }
}
