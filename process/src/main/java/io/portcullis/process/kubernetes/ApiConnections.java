package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.ByteArrayBodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.InputStreamBodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.StringBodyContent;
import io.portcullis.process.http.ConnectionPool;
import io.portcullis.process.http.ConnectionPool.Limits;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Sends the requests of a Kubernetes client over pooled connections. The client on top also retries failed requests. Thread-safe. */
final class ApiConnections implements AutoCloseable {

    /** Shorter than the idle timeouts of API servers and of the load balancers before them. */
    private static final Duration MAX_IDLE_TIME = Duration.ofSeconds(30);

    /** Programs rarely use more connections than this at once. */
    private static final int MAX_IDLE = 16;

    private static final Duration NO_LIMIT = Duration.ofDays(1);

    private final Optional<SSLContext> context;
    private final Optional<String> serverName;
    private final Duration connectLimit;
    /** By the authority of the URI. */
    private final ConnectionPool<String> pool =
            new ConnectionPool<>(Limits.ofIdleTime(MAX_IDLE, MAX_IDLE_TIME), System::nanoTime);

    /** @param serverName the name in the server certificate, if it differs from the host of the URI */
    ApiConnections(Optional<SSLContext> context, Optional<String> serverName, Duration connectLimit) {
        this.context = context;
        this.serverName = serverName;
        this.connectLimit = connectLimit;
    }

    HttpAnswer exchange(StandardHttpRequest request) throws IOException {
        var message = message(request);
        var limit = request.getTimeout() == null || request.getTimeout().isZero() ? NO_LIMIT : request.getTimeout();
        var start = System.nanoTime();
        return pool.exchange(
                message.uri().getRawAuthority(),
                () -> open(message, limit.compareTo(connectLimit) < 0 ? limit : connectLimit),
                connection ->
                        connection.exchange(message, Integer.MAX_VALUE, limit.minusNanos(System.nanoTime() - start)));
    }

    private HttpConnection open(HttpMessage message, Duration limit) throws IOException {
        var address = message.address();
        var tls = "https".equals(message.uri().getScheme())
                ? Optional.of(new HttpConnection.Tls(context.orElseThrow(), serverName.orElse(address.getHostString())))
                : Optional.<HttpConnection.Tls>empty();
        return HttpConnection.open(address, tls, limit);
    }

    private static HttpMessage message(StandardHttpRequest request) throws IOException {
        var headers = new LinkedHashMap<>(request.headers());
        if (request.getContentType() != null) {
            headers.put(StandardHttpRequest.CONTENT_TYPE, List.of(request.getContentType()));
        }
        try {
            return new HttpMessage(request.method(), request.uri(), headers, body(request));
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(e.getMessage()); // the client expects this for unsendable requests
        }
    }

    private static byte[] body(StandardHttpRequest request) throws IOException {
        return switch (request.body()) {
            case null -> new byte[0];
            case StringBodyContent text -> text.getContent().getBytes(StandardCharsets.UTF_8);
            case ByteArrayBodyContent bytes -> bytes.getContent();
            case InputStreamBodyContent stream -> stream.getContent().readAllBytes();
            default -> throw new IllegalArgumentException("unsupported type of request body");
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
