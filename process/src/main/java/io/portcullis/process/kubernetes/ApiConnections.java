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
 * Connections to an API server, kept while they are used. A request whose connection turns out to have ended is put again on
 * a new one, as the client above does with any that fails. Thread-safe.
 */
final class ApiConnections implements AutoCloseable {

    /** Shorter than API servers and what stands before them keep connections. */
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(30);

    /** More than this are used at once only now and then. */
    private static final int MOST_IDLE = 16;

    private static final Duration NO_LIMIT = Duration.ofDays(1);

    private final Optional<SSLContext> context;
    private final Optional<String> serverName;
    private final Duration connectLimit;

    private final Deque<Idle> idle = new ArrayDeque<>();
    private boolean isClosed;

    private record Idle(String authority, HttpConnection connection, long sinceNanos) {

        boolean isOld() {
            return System.nanoTime() - sinceNanos > LONGEST_IDLE.toNanos();
        }
    }

    /** @param serverName what servers call themselves, if not as they are called */
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
                // on a new one then
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
                : idle.size() > MOST_IDLE || idle.getLast().isOld()) {
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
            throw new ProtocolException(e.getMessage()); // as the client expects of what cannot be sent
        }
    }

    private static byte[] body(StandardHttpRequest request) throws IOException {
        return switch (request.body()) {
            case null -> new byte[0];
            case StringBodyContent text -> text.getContent().getBytes(StandardCharsets.UTF_8);
            case ByteArrayBodyContent bytes -> bytes.getContent();
            case InputStreamBodyContent stream -> stream.getContent().readAllBytes();
            default -> throw new IllegalArgumentException("a body of an unknown kind");
        };
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        idle.forEach(kept -> kept.connection().close());
        idle.clear();
    }
}
