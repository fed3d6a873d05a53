package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.ByteArrayBodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.InputStreamBodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.StringBodyContent;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * A pool of connections to an API server. When a pooled connection fails, the request is sent again on a new connection. The
 * Kubernetes client on top also retries failed requests. Thread-safe.
 */
final class ApiConnections implements AutoCloseable {

    /** Shorter than the idle timeouts of API servers and of the load balancers before them. */
    private static final Duration MAX_IDLE_TIME = Duration.ofSeconds(30);

    /** Programs rarely use more connections than this at once. */
    private static final int MAX_IDLE = 16;

    private static final Duration NO_LIMIT = Duration.ofDays(1);

    private final Optional<SSLContext> context;
    private final Optional<String> serverName;
    private final Duration connectLimit;

    private final Deque<Idle> idle = new ArrayDeque<>();
    private boolean isClosed;

    private record Idle(String authority, HttpConnection connection, long sinceNanos) {

        boolean isOld() {
            return System.nanoTime() - sinceNanos > MAX_IDLE_TIME.toNanos();
        }
    }

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
        var kept = take(message.uri());
        if (kept.isPresent()) {
            try {
                return exchange(kept.get(), message, limit);
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException _) {
                // retried on a new connection
            }
        }
        var connection = open(message, limit.compareTo(connectLimit) < 0 ? limit : connectLimit);
        return exchange(connection, message, limit.minusNanos(System.nanoTime() - start));
    }

    private HttpAnswer exchange(HttpConnection connection, HttpMessage message, Duration limit) throws IOException {
        var isReusable = false;
        try {
            var answer = connection.exchange(message, Integer.MAX_VALUE, limit);
            isReusable = !answer.isLast();
            return answer;
        } finally {
            if (isReusable) {
                keep(new Idle(message.uri().getRawAuthority(), connection, System.nanoTime()));
            } else {
                connection.abort();
            }
        }
    }

    private HttpConnection open(HttpMessage message, Duration limit) throws IOException {
        var address = message.address();
        var tls = "https".equals(message.uri().getScheme())
                ? Optional.of(new HttpConnection.Tls(context.orElseThrow(), serverName.orElse(address.getHostString())))
                : Optional.<HttpConnection.Tls>empty();
        var socket = HttpConnection.socket();
        try {
            return HttpConnection.open(socket, address, tls, limit);
        } catch (IOException | RuntimeException e) {
            HttpConnection.quietly(socket);
            throw e;
        }
    }

    private synchronized Optional<HttpConnection> take(URI server) {
        for (var next = idle.poll(); next != null; next = idle.poll()) {
            if (next.authority().equals(server.getRawAuthority()) && !next.isOld()) {
                return Optional.of(next.connection());
            }
            next.connection().close();
        }
        return Optional.empty();
    }

    private synchronized void keep(Idle connection) {
        idle.push(connection);
        while (isClosed
                ? !idle.isEmpty()
                : idle.size() > MAX_IDLE || idle.getLast().isOld()) {
            idle.removeLast().connection().close();
        }
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
    public synchronized void close() {
        isClosed = true;
        idle.forEach(kept -> kept.connection().close());
        idle.clear();
    }
}
