package io.portcullis.process.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Keeps idle connections for the next request, because a TLS handshake costs more than most requests. The connection that was
 * used last is used first. Thread-safe.
 *
 * @param <P> identifies what a connection may be reused for: the server and the TLS trust
 */
public final class ConnectionPool<P> implements AutoCloseable {

    private static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

    private final Limits limits;
    private final LongSupplier nanoTime;
    private final Map<P, Deque<Pooled>> idle = new HashMap<>();
    private boolean isClosed;

    /**
     * How many idle connections are kept, and for how long.
     *
     * @param perPeer the number of idle connections to one peer; the oldest are closed first
     * @param idleTime the time since the last request of a connection
     * @param age the time since a connection was opened
     */
    public record Limits(int perPeer, Duration idleTime, Duration age) {

        public static Limits ofIdleTime(int perPeer, Duration idleTime) {
            return new Limits(perPeer, idleTime, UNLIMITED);
        }

        public static Limits ofAge(int perPeer, Duration age) {
            return new Limits(perPeer, UNLIMITED, age);
        }
    }

    /** Opens a new connection to the peer. */
    @FunctionalInterface
    public interface Opener {
        HttpConnection open() throws IOException;
    }

    /** Sends one request over a connection and reads its answer. */
    @FunctionalInterface
    public interface Exchange {
        HttpAnswer over(HttpConnection connection) throws IOException;
    }

    private record Pooled(HttpConnection connection, long openedAt, long usedAt) {}

    /** @param nanoTime as {@link System#nanoTime()} */
    public ConnectionPool(Limits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
    }

    /**
     * Exchanges over an idle connection, or over a new one. If an idle connection fails, exchanges again over a new one: the
     * server may have closed the idle connection. Exchanges only once if the first exchange timed out.
     */
    public HttpAnswer exchange(P peer, Opener opener, Exchange exchange) throws IOException {
        var kept = take(peer);
        if (kept.isPresent()) {
            try {
                return exchange(peer, kept.get(), exchange);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException _) {
                // retried over a new connection
            }
        }
        return exchangeOverNew(peer, opener, exchange);
    }

    /** Exchanges over a new connection, which is then kept for the next exchange. */
    public HttpAnswer exchangeOverNew(P peer, Opener opener, Exchange exchange) throws IOException {
        closeExpired();
        var connection = opener.open();
        return exchange(peer, new Pooled(connection, nanoTime.getAsLong(), 0), exchange);
    }

    private HttpAnswer exchange(P peer, Pooled pooled, Exchange exchange) throws IOException {
        var isReusable = false;
        try {
            var answer = exchange.over(pooled.connection());
            isReusable = !answer.isLast();
            return answer;
        } finally {
            if (isReusable) {
                keep(peer, new Pooled(pooled.connection(), pooled.openedAt(), nanoTime.getAsLong()));
            } else {
                pooled.connection().abort();
            }
        }
    }

    private Optional<Pooled> take(P peer) {
        var surplus = new ArrayList<Pooled>();
        Optional<Pooled> found = Optional.empty();
        synchronized (idle) {
            var connections = idle.getOrDefault(peer, new ArrayDeque<>());
            while (found.isEmpty() && !connections.isEmpty()) {
                var next = connections.pop();
                if (isExpired(next)) {
                    surplus.add(next);
                } else {
                    found = Optional.of(next);
                }
            }
        }
        close(surplus);
        return found;
    }

    private void keep(P peer, Pooled pooled) {
        var surplus = new ArrayList<Pooled>();
        synchronized (idle) {
            if (isClosed || isExpired(pooled)) {
                surplus.add(pooled);
            } else {
                var connections = idle.computeIfAbsent(peer, _ -> new ArrayDeque<>());
                connections.push(pooled);
                while (connections.size() > limits.perPeer() || isExpired(connections.getLast())) {
                    surplus.add(connections.removeLast());
                }
            }
        }
        close(surplus);
    }

    /** Closes the expired connections of all peers, because some peers are never asked again. */
    private void closeExpired() {
        var surplus = new ArrayList<Pooled>();
        synchronized (idle) {
            idle.values().removeIf(connections -> {
                connections.removeIf(pooled -> isExpired(pooled) && surplus.add(pooled));
                return connections.isEmpty();
            });
        }
        close(surplus);
    }

    private boolean isExpired(Pooled pooled) {
        var now = nanoTime.getAsLong();
        return now - pooled.usedAt() >= limits.idleTime().toNanos()
                || now - pooled.openedAt() >= limits.age().toNanos();
    }

    private static void close(List<Pooled> surplus) {
        surplus.forEach(pooled -> pooled.connection().close());
    }

    @Override
    public void close() {
        var surplus = new ArrayList<Pooled>();
        synchronized (idle) {
            isClosed = true;
            idle.values().forEach(surplus::addAll);
            idle.clear();
        }
        close(surplus);
    }
}
