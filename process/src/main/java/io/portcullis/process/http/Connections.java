package io.portcullis.process.http;

import io.portcullis.process.http.ClientConnection.Admission;
import io.portcullis.process.http.ConnectionState.Cut;
import io.portcullis.process.http.ConnectionState.Phase;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Metrics;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The open connections of a listener and the bodies that arrive on them. Admits new connections within the limits, and cuts connections and
 * bodies whose client takes too long. Thread-safe.
 */
final class Connections {

    /** How many connections beyond the limit get an error response. Further ones are closed without a response. */
    static final int MAX_REFUSED = 32;

    private final ListenerLimits limits;
    private final Map<Long, ClientConnection> open = new ConcurrentHashMap<>();
    private final Set<PendingBody> bodies = ConcurrentHashMap.newKeySet();
    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Family<Counter> cuts;
    private final Counter refusals;

    Connections(ListenerLimits limits, Metrics metrics) {
        this.limits = limits;
        cuts = metrics.counter("kubewarden_connections_cut", "Connections and bodies that were cut off.", "reason");
        refusals = metrics.counter("kubewarden_connections_refused", "Connections beyond the limit.")
                .with();
        metrics.gauge("kubewarden_connections_open", "Open connections.", admitted::get);
        metrics.gauge("kubewarden_connections_limit", "Connections that may be open.", limits::maxConnections);
        metrics.gauge("kubewarden_request_bodies_pending", "Request bodies that clients are sending.", bodies::size);
    }

    /** Decides whether to admit a new connection. Displaces other connections when the limit is reached. */
    Admission admit(InetAddress client) {
        if (admitted.get() >= limits.maxConnections() && !displace(client)) {
            refusals.increment();
            refused.incrementAndGet();
            return Admission.REFUSED;
        }
        admitted.incrementAndGet();
        return Admission.ADMITTED;
    }

    /** Whether a refused connection still gets an error response. */
    boolean canAnswerRefused() {
        return refused.get() <= MAX_REFUSED;
    }

    void release(Admission admission) {
        switch (admission) {
            case ADMITTED -> admitted.decrementAndGet();
            case REFUSED -> refused.decrementAndGet();
            case SELF_CHECK -> {}
        }
    }

    void add(ClientConnection connection) {
        open.put(connection.id(), connection);
    }

    void remove(ClientConnection connection) {
        if (open.remove(connection.id()) != null) {
            release(connection.admission());
        }
    }

    void add(PendingBody body) {
        bodies.add(body);
    }

    void remove(PendingBody body) {
        bodies.remove(body);
    }

    /** Makes room for a connection of this client. Returns false when no connection may be displaced. */
    private boolean displace(InetAddress client) {
        var displaced = ConnectionState.displaced(admittedStates(), client, ConnectionState.now());
        displaced.forEach(state -> cut(state.id(), Cut.DISPLACED));
        return !displaced.isEmpty();
    }

    /** Closes connections that wait for their client, because the process has no file descriptor left. */
    void freeDescriptors() {
        ConnectionState.closedToFreeDescriptors(admittedStates(), ConnectionState.now())
                .forEach(state -> cut(state.id(), Cut.DISPLACED));
    }

    private List<ConnectionState> admittedStates() {
        return open.values().stream()
                .filter(connection -> connection.admission() == Admission.ADMITTED)
                .map(ClientConnection::state)
                .toList();
    }

    /** Makes room for another body: cuts the oldest pending body if it is older than {@link ConnectionState#PATIENCE}. */
    boolean displaceBody() {
        var now = ConnectionState.now();
        var oldest = bodies.stream()
                .filter(body -> body.cut() == null && now - body.since() >= ConnectionState.PATIENCE.toNanos())
                .min(Comparator.comparingLong(PendingBody::since));
        oldest.ifPresent(body -> cut(body, Cut.DISPLACED));
        return oldest.isPresent();
    }

    /** Cuts overdue connections and bodies. The listener calls this several times a second. */
    void sweep() {
        var now = ConnectionState.now();
        for (var connection : open.values()) {
            var state = connection.state();
            if (connection.closesWhenAnswered() && state.isQuiet()) {
                cut(connection.id(), Cut.BODY_TOO_SLOW);
            }
            state.overdue(limits, now).ifPresent(cause -> cut(connection.id(), cause));
        }
        for (var body : bodies) {
            if (now - body.since() >= limits.bodyTimeout().toNanos()) {
                cut(body, Cut.BODY_TOO_SLOW);
            }
        }
    }

    private void cut(long id, Cut cause) {
        var connection = open.get(id);
        if (connection != null) {
            count(cause);
            connection.cut(cause);
        }
    }

    private void cut(PendingBody body, Cut cause) {
        if (body.cut() == null) {
            count(cause);
            body.cut(cause);
        }
    }

    private void count(Cut cause) {
        cuts.with(cause.name().toLowerCase(Locale.ROOT)).increment();
    }

    /** Returns the error response for a client whose connection is cut. */
    HttpProblem problem(Cut cause) {
        return switch (cause) {
            case HEADERS_TOO_SLOW ->
                new HttpProblem(
                        408,
                        "request headers not received within " + seconds(limits.headerTimeout())
                                + " (--header-timeout of the server)");
            case BODY_TOO_SLOW ->
                new HttpProblem(
                        408,
                        "request body not received within " + seconds(limits.bodyTimeout())
                                + " (--body-timeout of the server)");
            case IDLE_TOO_LONG ->
                new HttpProblem(
                        408,
                        "no request received within " + seconds(limits.idleTimeout())
                                + " (--idle-timeout of the server)");
            case DISPLACED, ABORTED ->
                new HttpProblem(
                        503, "server overloaded: this client was too slow while other clients needed its resources");
        };
    }

    /** Returns the error response for a connection beyond the limit. */
    HttpProblem tooMany() {
        return new HttpProblem(
                503,
                "server overloaded: " + limits.maxConnections()
                        + " connections are open already (--max-connections of the server)");
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }

    /** Asks HTTP/2 clients to send no more requests. */
    void goAway() {
        open.values().stream().filter(ClientConnection::isHttp2).forEach(ClientConnection::goAway);
    }

    boolean hasHttp2() {
        return open.values().stream().anyMatch(ClientConnection::isHttp2);
    }

    /** Whether no connection has a running request. */
    boolean areIdle() {
        return open.values().stream()
                .map(ClientConnection::state)
                .noneMatch(state -> state.isWorking() || state.phase() == Phase.BODY);
    }

    /** Cuts every connection that waits for its client. */
    void cutIdle() {
        for (var connection : open.values()) {
            switch (connection.state().phase()) {
                case OPENING, IDLE, HEADERS -> connection.cut(Cut.IDLE_TOO_LONG);
                case BODY, BUSY, WRITING, CLOSING -> {}
            }
        }
    }

    void abortAll() {
        open.values().forEach(ClientConnection::abort);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }
}
