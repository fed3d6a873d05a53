package io.portcullis.process.http;

import java.time.Duration;

/**
 * The limits for the clients of one listener: connections, streams, header bytes and times.
 *
 * @param maxConnections open connections; {@link ConnectionLimit} may lower this number
 * @param maxStreams concurrent requests on one HTTP/2 connection
 * @param maxHeaderBytes size of all headers of one request
 * @param headerTimeout from the first byte of a request, or from a new connection, to the end of the headers; includes the TLS handshake
 * @param bodyTimeout from the end of the headers to the end of the body, and for every write of a response
 * @param idleTimeout for a connection between two requests
 */
public record ListenerLimits(
        int maxConnections,
        int maxStreams,
        int maxHeaderBytes,
        Duration headerTimeout,
        Duration bodyTimeout,
        Duration idleTimeout) {

    /** Suits a container with 512 MiB of memory. */
    public static final ListenerLimits DEFAULT = new ListenerLimits(
            2048, 100, 16 << 10, Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMinutes(2));

    /** For ports that only probes and scrapers use. */
    public static final ListenerLimits PROBES =
            new ListenerLimits(32, 16, 16 << 10, Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(30));

    public ListenerLimits withMaxConnections(int connections) {
        return new ListenerLimits(connections, maxStreams, maxHeaderBytes, headerTimeout, bodyTimeout, idleTimeout);
    }
}
