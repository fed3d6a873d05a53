package io.portcullis.audit.evaluation;

import io.portcullis.process.http.HttpConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.LongSupplier;

/**
 * Pool of idle connections. Reuse saves the TLS handshake, which costs more than an evaluation. Connections expire,
 * so that new replicas receive a share of the requests. Thread-safe.
 */
final class ConnectionPool implements AutoCloseable {

    /** The server of a connection and the CA bundle that the scanner trusts for it. */
    record Peer(String scheme, String authority, String caBundle) {

        static Peer of(URI uri, String caBundle) {
            return new Peer(uri.getScheme(), uri.getRawAuthority(), caBundle);
        }
    }

    /** A connection and its creation time. */
    record Pooled(HttpConnection connection, long since) {}

    private final Duration maxAge;
    private final LongSupplier nanoTime;
    private final Map<Peer, Deque<Pooled>> idle = new ConcurrentHashMap<>();

    /** @param maxAge maximum age of a connection */
    ConnectionPool(Duration maxAge, LongSupplier nanoTime) {
        this.maxAge = maxAge;
        this.nanoTime = nanoTime;
    }

    /** Returns the connection that was used last, if there is one. */
    Optional<Pooled> take(Peer peer) {
        var connections = idle.getOrDefault(peer, new ConcurrentLinkedDeque<>());
        for (var next = connections.poll(); next != null; next = connections.poll()) {
            if (!isExpired(next)) {
                return Optional.of(next);
            }
            next.connection().close();
        }
        return Optional.empty();
    }

    Pooled fresh(HttpConnection connection) {
        return new Pooled(connection, nanoTime.getAsLong());
    }

    void release(Peer peer, Pooled pooled) {
        if (isExpired(pooled)) {
            pooled.connection().close();
        } else {
            idle.computeIfAbsent(peer, _ -> new ConcurrentLinkedDeque<>()).push(pooled);
        }
    }

    private boolean isExpired(Pooled pooled) {
        return nanoTime.getAsLong() - pooled.since() >= maxAge.toNanos();
    }

    @Override
    public void close() {
        idle.values()
                .forEach(connections ->
                        connections.forEach(pooled -> pooled.connection().close()));
    }
}
