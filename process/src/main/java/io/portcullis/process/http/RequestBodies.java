package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.portcullis.process.metrics.Metrics;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads JSON request bodies. Memory grows with the bytes received, not with the announced length. Each body has a limit, and all bodies of the
 * process share a budget. A body counts towards the budget until it is closed.
 *
 * <p>A body that announces more than {@link ByteBudget#SMALL_BYTES}, or grows beyond that, first waits until the budget has room for all
 * that it may become. Otherwise many large bodies would grow side by side until none of them could be completed. A body that announces its
 * size holds no memory while it waits. A part of the budget is only for bodies that announce a small size.
 */
public final class RequestBodies {

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int FIRST_BYTES = 16 << 10;

    /** How long a small body waits until other requests release bytes. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    /** How long a large body waits. Large bodies take turns; a waiting one holds little memory. */
    private static final Duration LARGE_PATIENCE = Duration.ofSeconds(1);

    private static final Duration POLL = Duration.ofMillis(5);

    private final long maxBytes;
    private final ByteBudget budget;

    /**
     * Creates the budget and registers its metrics.
     *
     * @param maxBytes the limit for one body
     * @param maxTotalBytes the limit for all bodies at the same time
     */
    public RequestBodies(long maxBytes, long maxTotalBytes, Metrics metrics) {
        this.maxBytes = maxBytes;
        this.budget = new ByteBudget(maxTotalBytes);
        metrics.gauge("kubewarden_request_body_bytes", "Memory that request bodies hold.", budget::used);
        metrics.gauge("kubewarden_request_body_bytes_limit", "Memory that request bodies may hold.", budget::maxBytes);
    }

    /** A received body. The caller closes it when the request is answered. */
    public static final class Body implements AutoCloseable {

        private static final byte[] EMPTY = new byte[0];

        private final ByteBudget budget;
        private byte[] bytes = EMPTY;
        private long reserved;

        private Body(ByteBudget budget) {
            this.budget = budget;
        }

        public byte[] bytes() {
            return bytes;
        }

        @Override
        public void close() {
            budget.release(reserved);
            reserved = 0;
        }
    }

    /** @throws HttpProblem with status 400, 408, 413, 415 or 503 */
    public Body read(ServerRequest request) throws IOException, InterruptedException {
        if (!isJson(request.headers().first(HeaderNames.CONTENT_TYPE).orElse(""))) {
            throw new HttpProblem(415, "Expected request with `Content-Type: application/json`");
        }
        var announced = request.headers().contentLength().orElse(-1);
        if (announced > maxBytes) {
            throw tooLarge();
        }
        var body = new Body(budget);
        var connection = ClientConnection.of(request);
        var isChunked = !connection.isHttp2() && ChunkedBody.isIn(request);
        if (!isChunked && (announced == 0 || !request.content().hasEntity())) {
            return body;
        }
        var isComplete = false;
        try (var pending = connection.beginBody()) {
            // Do not close the streams: close() reads to the end, and an oversized body may be endless.
            var in =
                    isChunked ? chunked(request, connection) : request.content().inputStream();
            receive(in, announced, body, connection, pending);
            isComplete = true;
            return body;
        } finally {
            if (!isComplete) {
                body.close();
            }
        }
    }

    private static InputStream chunked(ServerRequest request, ClientConnection connection) {
        if (request.headers().contains(HeaderNames.EXPECT)) {
            connection.dataWriter().writeNow(BufferData.create(CONTINUE));
        }
        return new ChunkedBody(connection.dataReader());
    }

    private void receive(InputStream in, long announced, Body body, ClientConnection connection, PendingBody pending)
            throws IOException, InterruptedException {
        try {
            fill(in, announced, body, connection);
        } catch (RequestException e) {
            failIfCut(pending, connection);
            if (connection.isHttp2()) {
                throw new IOException("the client ended the stream", e);
            }
            throw new HttpProblem(400, "Bad request body");
        } catch (CloseConnectionException | InterruptedException e) {
            failIfCut(pending, connection);
            throw e;
        }
        failIfCut(pending, connection);
    }

    private static void failIfCut(PendingBody pending, ClientConnection connection) {
        var cut = pending.cut();
        if (cut == null) {
            return;
        }
        Thread.interrupted(); // clears the interrupt of the cut; a write with it set would close the connection
        if (connection.isHttp2()) {
            connection.closeWhenAnswered();
        }
        throw connection.problem(cut);
    }

    /** Reads to the end. Allocates nothing before the first byte; doubles the array when it is full. */
    private void fill(InputStream in, long announced, Body body, ClientConnection connection)
            throws IOException, InterruptedException {
        var first = in.read();
        if (first < 0) {
            return;
        }
        var maxSize = announced >= 0 ? announced : maxBytes;
        var received = grown(body, FIRST_BYTES, announced, connection);
        received[0] = (byte) first;
        var size = 1;
        while (true) {
            if (size == received.length && size < maxSize) {
                body.bytes = received;
                received = grown(body, 2L * size, announced, connection);
            }
            var read = size < received.length ? in.read(received, size, received.length - size) : in.read();
            if (read < 0) {
                break;
            }
            if (size == received.length) {
                throw tooLarge(); // the body has one byte more than the limit
            }
            size += read;
        }
        body.bytes = size == received.length ? received : Arrays.copyOf(received, size);
    }

    /** Returns a larger array with the same content. Reserves bytes for both arrays, because both exist during the copy. */
    private byte[] grown(Body body, long wanted, long announced, ClientConnection connection)
            throws InterruptedException {
        var maxSize = announced >= 0 ? announced : maxBytes;
        var capacity = (int) Math.min(wanted, maxSize);
        var isLarge = announced > ByteBudget.SMALL_BYTES || capacity > ByteBudget.SMALL_BYTES;
        var needed = isLarge ? Math.min(2 * maxSize, budget.largeBytes()) : body.bytes.length + capacity;
        if (needed > body.reserved) {
            reserve(needed - body.reserved, maxSize <= ByteBudget.SMALL_BYTES, connection);
            body.reserved = needed;
        }
        return Arrays.copyOf(body.bytes, capacity);
    }

    /** @param isSmall whether the body cannot become large; then it may use all of the budget */
    private void reserve(long bytes, boolean isSmall, ClientConnection connection) throws InterruptedException {
        if (connection.admission() == ClientConnection.Admission.SELF_CHECK) {
            budget.reserveBeyondLimit(bytes);
            return;
        }
        var patience = isSmall ? PATIENCE : LARGE_PATIENCE;
        var limit = isSmall ? budget.maxBytes() : budget.largeBytes();
        var end = System.nanoTime() + patience.toNanos();
        while (!budget.reserve(bytes, limit)) {
            connection.displaceBody();
            if (System.nanoTime() - end >= 0) {
                throw new HttpProblem(
                        503,
                        "server overloaded: request bodies take all of the " + budget.maxBytes()
                                + " bytes that they may take together (--max-total-body-bytes of the server)");
            }
            Thread.sleep(POLL);
        }
    }

    private static HttpProblem tooLarge() {
        return new HttpProblem(413, "Failed to buffer the request body: length limit exceeded");
    }

    /** Whether a request has a body that was not read completely. */
    static boolean isUnread(ServerRequest request) {
        return request.content().hasEntity() && !request.content().consumed();
    }

    /** Whether the type is {@code application/json} or {@code application/<anything>+json}, with any parameters. */
    public static boolean isJson(String contentType) {
        if (contentType.equals("application/json")) {
            return true;
        }
        var type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals("application/json")
                || (type.startsWith("application/") && type.endsWith("+json") && type.indexOf(' ') < 0);
    }
}
