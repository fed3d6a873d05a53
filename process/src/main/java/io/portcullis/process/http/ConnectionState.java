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
 * What one connection does at one moment, and the rules that follow from it. Pure.
 *
 * @param id of the connection
 * @param client the address that the connection comes from
 * @param sinceNanos when the phase began, as {@link #now} counts
 */
record ConnectionState(long id, InetAddress client, Phase phase, long sinceNanos) {

    private static final long ORIGIN = System.nanoTime();

    /** A connection of an address that holds many is closed only after this wait, unless another address needs the place. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** The address with the most connections holds so many times more than the newcomer: then its connections yield at once. */
    private static final int MUCH_HEAVIER = 4;

    /** One of so many connections of the heaviest address yields in one search. */
    private static final int DISPLACED_AT_ONCE = 64;

    private static final int FREED_AT_ONCE = 4;

    /** What a connection waits for. */
    enum Phase {
        /** Accepted; the client has not completed the TLS handshake and its first request headers. */
        OPENING,
        /** Between two requests. */
        IDLE,
        /** The client has begun to send the headers of a request. */
        HEADERS,
        /** The client sends bodies; no request is in work. */
        BODY,
        /** The server works on a request. */
        BUSY,
        /** The server sends and the client does not read. */
        WRITING,
        /** The server has decided to close it and sends its last answer. */
        CLOSING
    }

    /** Why a connection has to end. */
    enum Cut {
        HEADERS_TOO_SLOW,
        BODY_TOO_SLOW,
        IDLE_TOO_LONG,
        /** Another client needs the place. */
        DISPLACED,
        /** There is nobody left to answer: close the socket now. */
        ABORTED
    }

    /** Nanoseconds on a clock that only runs forward and never shows 0. */
    static long now() {
        return System.nanoTime() - ORIGIN + 1;
    }

    private Duration age(long nowNanos) {
        return Duration.ofNanos(Math.max(0, nowNanos - sinceNanos));
    }

    /** Decides whether the client has taken too long. */
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

    /** Whether no request is under way. A request whose body is too slow is one until it is answered. */
    boolean isQuiet() {
        return switch (phase) {
            case OPENING, IDLE, HEADERS -> true;
            case BODY, BUSY, WRITING, CLOSING -> false;
        };
    }

    /**
     * Chooses the connections that yield their place to a new one: of the address with the most connections, those that have
     * waited longest for their client. Several at once, so that a flood of new connections does not cause as many searches.
     *
     * @return empty when no connection may be closed: then the newcomer is refused
     */
    static List<ConnectionState> displaced(Collection<ConnectionState> open, InetAddress newcomer, long nowNanos) {
        var counts = counts(open);
        var isMuchHeavier = counts.getOrDefault(newcomer, 0) * MUCH_HEAVIER <= heaviest(counts);
        return longestWaits(open, isMuchHeavier ? Duration.ZERO : PATIENCE, DISPLACED_AT_ONCE, nowNanos);
    }

    /** Chooses the connections that are closed when the process has no descriptor left: a good part of those that wait. */
    static List<ConnectionState> closedToFreeDescriptors(Collection<ConnectionState> open, long nowNanos) {
        return longestWaits(open, Duration.ZERO, FREED_AT_ONCE, nowNanos);
    }

    /** @param part one of so many connections of the heaviest address */
    private static List<ConnectionState> longestWaits(
            Collection<ConnectionState> open, Duration patience, int part, long nowNanos) {
        var counts = counts(open);
        var heaviest = heaviest(counts);
        return open.stream()
                .filter(state -> counts.getOrDefault(state.client(), 0) == heaviest)
                .filter(state -> state.waitsForClient() && state.age(nowNanos).compareTo(patience) >= 0)
                .sorted(Comparator.comparingLong(state -> state.sinceNanos() - nowNanos))
                .limit(Math.max(1, heaviest / part))
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
