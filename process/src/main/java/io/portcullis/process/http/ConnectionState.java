package io.portcullis.process.http;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of one connection at one moment, and the rules for cutting and displacing connections. Immutable, without side effects.
 *
 * @param id of the connection
 * @param client the address that the connection comes from
 * @param sinceNanos when the phase began, on the clock of {@link #now}
 */
record ConnectionState(long id, InetAddress client, Phase phase, long sinceNanos) {

    private static final long ORIGIN = System.nanoTime();

    /** How long a connection must have waited for its client before it may be displaced. {@link #MUCH_HEAVIER} waives this. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** When one address holds this many times more connections than the new client, its connections are displaced at once. */
    private static final int MUCH_HEAVIER = 4;

    /** One search displaces {@code 1 / DISPLACED_AT_ONCE} of the connections of the heaviest address. */
    private static final int DISPLACED_AT_ONCE = 64;

    private static final int FREED_AT_ONCE = 4;

    /** What a connection does or waits for. */
    enum Phase {
        /** Accepted; the client has not completed the TLS handshake and its first request headers. */
        OPENING,
        /** Between two requests. */
        IDLE,
        /** The client has begun to send the headers of a request. */
        HEADERS,
        /** The client sends bodies; the server works on no request. */
        BODY,
        /** The server works on a request. */
        BUSY,
        /** The server sends and the client does not read. */
        WRITING,
        /** The server has decided to close the connection and sends its last response. */
        CLOSING
    }

    /** Why the server cuts a connection or a body. */
    enum Cut {
        HEADERS_TOO_SLOW,
        BODY_TOO_SLOW,
        IDLE_TOO_LONG,
        /** Another client needs the connection or the memory. */
        DISPLACED,
        /** The client does not read any more: close the socket at once, without a response. */
        ABORTED
    }

    /** Returns nanoseconds of a monotonic clock that never returns 0. */
    static long now() {
        return System.nanoTime() - ORIGIN + 1;
    }

    private Duration age(long nowNanos) {
        return Duration.ofNanos(Math.max(0, nowNanos - sinceNanos));
    }

    /** Returns why the connection must be cut when the client has taken too long. */
    Optional<Cut> overdue(ListenerLimits limits, long nowNanos) {
        var age = age(nowNanos);
        return switch (phase) {
            case OPENING, HEADERS -> when(age, limits.headerTimeout(), Cut.HEADERS_TOO_SLOW);
            case IDLE -> when(age, limits.idleTimeout(), Cut.IDLE_TOO_LONG);
            case WRITING -> when(age, limits.bodyTimeout(), Cut.ABORTED);
            case CLOSING -> when(age, PATIENCE, Cut.ABORTED);
            case BODY, BUSY -> Optional.empty(); // each body has its own time limit
        };
    }

    private static Optional<Cut> when(Duration age, Duration limit, Cut cut) {
        return age.compareTo(limit) >= 0 ? Optional.of(cut) : Optional.empty();
    }

    private boolean waitsForClient() {
        return switch (phase) {
            case OPENING, IDLE, HEADERS, BODY -> true;
            case BUSY, WRITING, CLOSING -> false;
        };
    }

    /** Whether the server works on a request or sends its response. */
    boolean isWorking() {
        return switch (phase) {
            case BUSY, WRITING -> true;
            case OPENING, IDLE, HEADERS, BODY, CLOSING -> false;
        };
    }

    /** Whether no request is running. A request with a slow body counts as running until it is answered. */
    boolean isQuiet() {
        return switch (phase) {
            case OPENING, IDLE, HEADERS -> true;
            case BODY, BUSY, WRITING, CLOSING -> false;
        };
    }

    /**
     * Chooses the connections to close for a new one: of the address with the most connections, those that have waited longest for
     * their client. Chooses several at once, so that a flood of new connections does not cause one search each.
     *
     * @return empty when no connection may be closed; the listener then refuses the new connection
     */
    static List<ConnectionState> displaced(Collection<ConnectionState> open, InetAddress newClient, long nowNanos) {
        var counts = counts(open);
        var isMuchHeavier = counts.getOrDefault(newClient, 0) * MUCH_HEAVIER <= heaviest(counts);
        return longestWaits(open, isMuchHeavier ? Duration.ZERO : PATIENCE, DISPLACED_AT_ONCE, nowNanos);
    }

    /** Chooses the connections to close when the process has no file descriptor left: a quarter of the heaviest address. */
    static List<ConnectionState> closedToFreeDescriptors(Collection<ConnectionState> open, long nowNanos) {
        return longestWaits(open, Duration.ZERO, FREED_AT_ONCE, nowNanos);
    }

    /** @param divisor at most {@code 1 / divisor} of the connections of the heaviest address are chosen */
    private static List<ConnectionState> longestWaits(
            Collection<ConnectionState> open, Duration patience, int divisor, long nowNanos) {
        var counts = counts(open);
        var heaviest = heaviest(counts);
        return open.stream()
                .filter(state -> counts.getOrDefault(state.client(), 0) == heaviest)
                .filter(state -> state.waitsForClient() && state.age(nowNanos).compareTo(patience) >= 0)
                .sorted(Comparator.comparingLong(state -> state.sinceNanos() - nowNanos))
                .limit(Math.max(1, heaviest / divisor))
                .toList();
    }

    private static Map<InetAddress, Integer> counts(Collection<ConnectionState> open) {
        var counts = new HashMap<InetAddress, Integer>();
        open.forEach(state -> counts.merge(state.client(), 1, Integer::sum));
        return counts;
    }

    private static int heaviest(Map<InetAddress, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }
}
