package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.FixedLimit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.socket.SocketWriter;
import io.helidon.common.socket.SocketWriterException;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.spi.ServerConnection;
import io.portcullis.process.http.ConnectionState.Cut;
import io.portcullis.process.http.ConnectionState.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.cert.Certificate;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection. It reads the first bytes, passes the connection to Helidon's HTTP/1.1 or HTTP/2, and records its current
 * phase. {@link #run} is the connection's own thread; other threads call {@link #cut} and {@link #state}.
 */
final class ClientConnection implements ConnectionContext, Runnable {

    private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);
    private static final byte[] HTTP2_PREFACE = "PRI * HTTP/2.0\r\n".getBytes(StandardCharsets.US_ASCII);

    /** GOAWAY of 8 bytes on stream 0. The highest stream number means that no stream is refused; the error code is 0. */
    private static final byte[] GOAWAY =
            HexFormat.of().parseHex("000008" + "07" + "00" + "00000000" + "7fffffff" + "00000000");

    /** How many bytes a refused client may still send before the connection is closed. */
    private static final int MAX_DISCARDED_BYTES = 1 << 20;

    /** Whether a connection counts towards the connection limit. */
    enum Admission {
        ADMITTED,
        /** Beyond the limit: the listener answers every request with 503 and closes the connection. */
        REFUSED,
        /** Opened by this process: does not count towards any limit. */
        SELF_CHECK
    }

    private final long id;
    private final Protocols protocols;
    private final Connections connections;
    private final SocketChannel channel;
    private final HelidonSocket socket;
    private final Peer peer;
    private final Admission admission;
    private final DataReader reader;
    private final FrameWriter writer;

    private final long acceptedAt = ConnectionState.now();
    private final AtomicReference<@Nullable Cut> cut = new AtomicReference<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger receiving = new AtomicInteger();
    private volatile boolean isHttp2;
    private volatile boolean hasServed;
    private volatile boolean closesWhenAnswered;
    private volatile long headersSince;
    private volatile long changedAt = acceptedAt;
    private volatile long closingSince;
    private volatile boolean hasUnreadInput;

    ClientConnection(
            long id,
            Protocols protocols,
            Connections connections,
            SocketChannel channel,
            InetSocketAddress remote,
            Admission admission) {
        this.id = id;
        this.protocols = protocols;
        this.connections = connections;
        this.channel = channel;
        this.admission = admission;
        this.socket = protocols.socket(channel, Long.toString(id), admission);
        this.peer = new Peer(this, remote);
        this.reader = DataReader.create(this::receive);
        this.writer = new FrameWriter(SocketWriter.create(socket));
    }

    /** Returns the connection of a request. */
    static ClientConnection of(ServerRequest request) {
        if (request.remotePeer() instanceof Peer peer) {
            return peer.connection();
        }
        throw new IllegalArgumentException("the request does not come from a Listener");
    }

    /** The client, with a reference to its connection. No handler needs the client's certificate after the handshake. */
    private record Peer(ClientConnection connection, InetSocketAddress remote) implements PeerInfo {

        @Override
        public SocketAddress address() {
            return remote;
        }

        @Override
        public String host() {
            return remote.getHostString();
        }

        @Override
        public int port() {
            return remote.getPort();
        }

        @Override
        public Optional<Principal> tlsPrincipal() {
            return Optional.empty();
        }

        @Override
        public Optional<Certificate[]> tlsCertificates() {
            return Optional.empty();
        }

        /** Replaces the record's form, which would include the connection and thus the peer again. */
        @Override
        public String toString() {
            return remote.toString();
        }
    }

    long id() {
        return id;
    }

    Admission admission() {
        return admission;
    }

    boolean isHttp2() {
        return isHttp2;
    }

    // --- the connection's own thread ---------------------------------------------------------------------------------

    @Override
    public void run() {
        try {
            protocol().handle(FixedLimit.create());
            hasUnreadInput |= !isHttp2; // Helidon returns after it has rejected a bad request
            linger();
        } catch (CloseConnectionException e) {
            linger();
        } catch (UncheckedIOException | SocketWriterException e) {
            log.atTrace().addKeyValue("client", peer).addKeyValue("error", e).log("connection lost");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            log.atDebug().addKeyValue("client", peer).addKeyValue("error", e).log("connection failed");
        } finally {
            connections.remove(this);
            close();
        }
    }

    private ServerConnection protocol() {
        isHttp2 = reader.startsWith(HTTP2_PREFACE);
        if (isHttp2) {
            headersSince = 0;
        }
        return isHttp2 ? protocols.http2().connection(this) : protocols.http1().connection(this);
    }

    /** Waits for the client's next bytes. */
    private byte[] receive() {
        byte[] bytes;
        try {
            bytes = socket.get();
        } catch (UncheckedIOException e) {
            throw cut.get() == null ? new CloseConnectionException("the connection broke", e) : ended();
        }
        if (bytes == null) {
            throw ended();
        }
        if (!isHttp2 && bytes.length > 0 && headersSince == 0 && requests.get() == 0) {
            headersSince = ConnectionState.now();
        }
        return bytes;
    }

    /** Returns the exception for the end of input: the client closed the connection, or the server cut it. */
    private RuntimeException ended() {
        var cause = cut.get();
        if (cause == null) {
            return new CloseConnectionException("the client closed the connection");
        }
        if (isHttp2) {
            goAway();
        }
        if (isHttp2 || headersSince == 0 || requests.get() > 0) {
            return new CloseConnectionException("the connection was cut: " + cause);
        }
        var problem = connections.problem(cause);
        return RequestException.builder()
                .type(DirectHandler.EventType.OTHER)
                .status(Status.create(problem.status()))
                .message(String.valueOf(problem.getMessage()))
                .safeMessage(true)
                .setKeepAlive(false)
                .build();
    }

    /** Discards input for a moment when the client may still be sending. Closing at once would lose the response in transit. */
    private void linger() {
        if (!hasUnreadInput) {
            return;
        }
        closingSince = ConnectionState.now();
        try {
            if (!socket.isSecure()) {
                channel.shutdownOutput();
            }
            var discarded = ByteBuffer.allocate(4 << 10);
            for (var left = MAX_DISCARDED_BYTES; left > 0; ) {
                discarded.clear();
                var read = channel.read(discarded);
                if (read < 0) {
                    return;
                }
                left -= read;
            }
        } catch (IOException e) {
            log.atTrace().addKeyValue("client", peer).addKeyValue("error", e).log("connection lost");
        }
    }

    private void close() {
        closingSince = ConnectionState.now();
        try {
            socket.close();
        } catch (RuntimeException e) {
            log.atTrace().addKeyValue("client", peer).addKeyValue("error", e).log("connection lost");
        }
        abort();
    }

    // --- requests, on the connection's thread or on that of a stream -------------------------------------------------

    /** Records that the headers of a request are complete. */
    void begin() {
        requests.incrementAndGet();
        headersSince = 0;
        hasServed = true;
        changedAt = ConnectionState.now();
    }

    /** Records that a request is answered. */
    void end() {
        changedAt = ConnectionState.now();
        requests.decrementAndGet();
    }

    /** Records that the body of a request begins to arrive. */
    PendingBody beginBody() {
        receiving.incrementAndGet();
        var body = new PendingBody(this);
        connections.add(body);
        return body;
    }

    void finished(PendingBody body) {
        connections.remove(body);
        receiving.decrementAndGet();
    }

    /** Makes room for the body of another request, see {@link Connections#displaceBody}. */
    boolean displaceBody() {
        return connections.displaceBody();
    }

    /** Returns the error response for a client whose body was cut. */
    HttpProblem problem(Cut cause) {
        return connections.problem(cause);
    }

    /** Records that part of the request stays unread. The connection cannot serve another request. */
    void leaveInputUnread() {
        hasUnreadInput = true;
    }

    /** HTTP/2: closes the connection when its other requests are answered, because the client did not end a stream in time. */
    void closeWhenAnswered() {
        closesWhenAnswered = true;
        goAway();
    }

    /** HTTP/2: asks the client to send no new requests on this connection. */
    void goAway() {
        try {
            writer.writeNow(BufferData.create(GOAWAY));
        } catch (UncheckedIOException | SocketWriterException e) {
            log.atTrace().addKeyValue("client", peer).addKeyValue("error", e).log("connection lost");
        }
    }

    // --- any thread --------------------------------------------------------------------------------------------------

    ConnectionState state() {
        var writing = writer.writingSince();
        var open = requests.get();
        var client = peer.remote().getAddress();
        if (closingSince != 0) {
            return new ConnectionState(id, client, Phase.CLOSING, closingSince);
        }
        if (writing != 0) {
            return new ConnectionState(id, client, Phase.WRITING, writing);
        }
        if (open > 0) {
            return new ConnectionState(id, client, open > receiving.get() ? Phase.BUSY : Phase.BODY, changedAt);
        }
        var headers = headersSince;
        if (headers != 0) {
            return new ConnectionState(id, client, Phase.HEADERS, headers);
        }
        return new ConnectionState(id, client, hasServed ? Phase.IDLE : Phase.OPENING, changedAt);
    }

    /** Whether the connection closes as soon as its last requests are answered. */
    boolean closesWhenAnswered() {
        return closesWhenAnswered;
    }

    /** Ends the wait for the client. The connection's own thread then sends an error where HTTP allows it, and closes. */
    void cut(Cut cause) {
        if (cause == Cut.ABORTED) {
            abort();
        } else if (cut.compareAndSet(null, cause)) {
            closingSince = ConnectionState.now();
            try {
                channel.shutdownInput();
            } catch (IOException e) {
                abort();
            }
        }
    }

    /** Closes the socket at once, even while requests run. */
    void abort() {
        try {
            channel.close();
        } catch (IOException e) {
            log.atTrace().addKeyValue("client", peer).addKeyValue("error", e).log("connection lost");
        }
    }

    // --- Helidon's ConnectionContext
    // ---------------------------------------------------------------------------------------

    @Override
    public DataWriter dataWriter() {
        return writer;
    }

    @Override
    public DataReader dataReader() {
        return reader;
    }

    @Override
    public ListenerContext listenerContext() {
        return protocols;
    }

    @Override
    public ExecutorService executor() {
        return protocols.executor();
    }

    @Override
    public Router router() {
        return protocols.router();
    }

    @Override
    public HelidonSocket serverSocket() {
        return socket;
    }

    @Override
    public PeerInfo remotePeer() {
        return peer;
    }

    @Override
    public PeerInfo localPeer() {
        return socket.localPeer();
    }

    @Override
    public boolean isSecure() {
        return socket.isSecure();
    }

    @Override
    public String socketId() {
        return socket.socketId();
    }

    @Override
    public String childSocketId() {
        return socket.childSocketId();
    }
}
