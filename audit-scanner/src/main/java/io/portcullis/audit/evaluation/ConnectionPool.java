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
 * Connections that nobody uses at the moment. They are used again, since a TLS handshake costs more than a verdict, but not
 * for ever: replicas that came meanwhile get their share. Safe for use by many threads.
 */
final class ConnectionPool implements AutoCloseable {

    /** Who is spoken to, and whom the scanner trusts when it does. */
    record Peer(String scheme, String authority, String caBundle) {

        static Peer of(URI uri, String caBundle) {
            return new Peer(uri.getScheme(), uri.getRawAuthority(), caBundle);
        }
    }

    /** A connection, and since when there is one. */
    record Pooled(HttpConnection connection, long since) {}

    private final Duration renewal;
    private final LongSupplier nanoTime;
    private final Map<Peer, Deque<Pooled>> idle = new ConcurrentHashMap<>();

    /** @param renewal how old a connection may become */
    ConnectionPool(Duration renewal, LongSupplier nanoTime) {
        this.renewal = renewal;
        this.nanoTime = nanoTime;
    }

    /** The one used last, if there is one. */
    Optional<Pooled> take(Peer peer) {
        var connections = idle.getOrDefault(peer, new ConcurrentLinkedDeque<>());
        for (var next = connections.poll(); next != null; next = connections.poll()) {
            if (!isOld(next)) {
                return Optional.of(next);
            }
            next.connection().close();
        }
        return Optional.empty();
    }

    Pooled young(HttpConnection connection) {
        return new Pooled(connection, nanoTime.getAsLong());
    }

    void giveBack(Peer peer, Pooled pooled) {
        if (isOld(pooled)) {
            pooled.connection().close();
        } else {
            idle.computeIfAbsent(peer, _ -> new ConcurrentLinkedDeque<>()).push(pooled);
        }
    }

    private boolean isOld(Pooled pooled) {
        return nanoTime.getAsLong() - pooled.since() >= renewal.toNanos();
    }

    @Override
    public void close() {
        idle.values()
                .forEach(connections ->
                        connections.forEach(pooled -> pooled.connection().close()));
    }
}
