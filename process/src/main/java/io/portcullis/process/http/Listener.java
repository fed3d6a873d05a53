package io.portcullis.process.http;

import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.portcullis.process.http.ClientConnection.Admission;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port that serves HTTP/1.1 and HTTP/2, either plain (with prior knowledge) or over TLS (by ALPN). Each connection has one thread;
 * in HTTP/2 each stream has one too. {@link ListenerLimits} bound the resources that clients may hold. When accept fails, the
 * listener retries; an accept failure never ends it.
 */
public final class Listener implements AutoCloseable {

    /** The path where the listener itself answers 200 to a self-check, see {@link #allowSelfCheck}. Only self-checks reach it. */
    public static final String SELF_CHECK = "/self-check/listener";

    private static final Logger log = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 1024;
    private static final Duration SWEEP = Duration.ofMillis(250);
    private static final Duration FIRST_RETRY = Duration.ofMillis(10);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);

    /**
     * How long requests may still arrive after GOAWAY, from clients that had not read it when they sent them. Go's server waits
     * equally long.
     */
    private static final Duration GOAWAY_DELAY = Duration.ofSeconds(1);

    private static final Duration POLL = Duration.ofMillis(10);

    private final ListenerLimits limits;
    private final Duration grace;
    private final Handler handler;
    private final ThreadFactory threads;
    private final Protocols protocols;
    private final Connections connections;
    private final Counter acceptFailures;
    private final ServerSocketChannel server;
    private final InetSocketAddress bound;
    private final Optional<HttpConnection.Tls> ownTls;
    private final Set<SocketAddress> selfChecks = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean isDraining;
    private long lastId;

    /** The TLS configuration of a listener. */
    public record Security(SSLContext context, boolean requiresClientCertificate) {}

    /**
     * Starts to listen. Connections run on virtual threads.
     *
     * @param grace how long running requests may take after {@link #close}
     * @param handler receives every request
     * @throws UncheckedIOException when the address cannot be bound; the message contains the address
     */
    public Listener(
            InetSocketAddress address,
            Optional<Security> security,
            ListenerLimits limits,
            Duration grace,
            Handler handler,
            Metrics metrics) {
        this(
                address,
                security,
                limits,
                grace,
                handler,
                metrics,
                Thread.ofVirtual().factory());
    }

    /** @param threads creates one thread for each connection */
    public Listener(
            InetSocketAddress address,
            Optional<Security> security,
            ListenerLimits limits,
            Duration grace,
            Handler handler,
            Metrics metrics,
            ThreadFactory threads) {
        this.limits =
                limits.withMaxConnections(ConnectionLimit.ofThisProcess(limits.maxConnections(), security.isPresent()));
        this.ownTls = security.map(_ -> new HttpConnection.Tls(OwnCertificate.context(), "localhost"));
        this.grace = grace;
        this.handler = handler;
        this.threads = threads;
        this.connections = new Connections(this.limits, metrics);
        this.acceptFailures = metrics.counter(
                        "kubewarden_accept_failures", "Connections that the operating system did not hand over.")
                .with();
        this.protocols = Protocols.of(
                security, this.limits, errors(), this::handle, Executors.newThreadPerTaskExecutor(threads));
        try {
            server = ServerSocketChannel.open();
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(address, BACKLOG);
            bound = (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            throw cannotListen(address, e);
        }
        Thread.ofPlatform().name("listener-" + bound.getPort()).daemon().start(this::accept);
        Thread.ofPlatform()
                .name("listener-" + bound.getPort() + "-limits")
                .daemon()
                .start(this::sweep);
    }

    private static UncheckedIOException cannotListen(InetSocketAddress address, IOException cause) {
        var host = address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return new UncheckedIOException(
                "cannot listen on port " + address.getPort() + " of " + host + ": " + cause.getMessage(), cause);
    }

    // --- accepting ---------------------------------------------------------------------------------------------------

    private void accept() {
        var retry = FIRST_RETRY;
        while (server.isOpen()) {
            try {
                admit(server.accept());
                retry = FIRST_RETRY;
            } catch (ClosedChannelException e) {
                log.atTrace().addKeyValue("port", port()).log("listener closed");
            } catch (IOException | RuntimeException e) {
                acceptFailures.increment();
                if (retry.equals(FIRST_RETRY)) {
                    log.atWarn()
                            .addKeyValue("port", port())
                            .addKeyValue("error", e.toString())
                            .log("cannot accept a connection; trying again");
                }
                connections.freeDescriptors(); // the most likely cause is too many open files
                pause(retry);
                retry = retry.multipliedBy(2).compareTo(LAST_RETRY) < 0 ? retry.multipliedBy(2) : LAST_RETRY;
            }
        }
    }

    private void pause(Duration time) {
        try {
            var _ = closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a thread for a new connection, or closes the connection. */
    private void admit(SocketChannel channel) throws IOException {
        var remote = remote(channel);
        if (remote.isEmpty()) {
            return;
        }
        var admission = selfChecks.contains(remote.get())
                ? Admission.SELF_CHECK
                : connections.admit(remote.get().getAddress());
        var isStarted = false;
        try {
            if (admission == Admission.REFUSED && !connections.canAnswerRefused()) {
                return;
            }
            // With Nagle's algorithm every HTTP/2 response waits 40 ms for the client's acknowledgement.
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            var connection = new ClientConnection(++lastId, protocols, connections, channel, remote.get(), admission);
            var thread = threads.newThread(connection);
            connections.add(connection);
            try {
                thread.start();
                isStarted = true;
            } finally {
                if (!isStarted) {
                    connections.remove(connection);
                    admission = Admission.SELF_CHECK; // connections.remove released the admission already
                }
            }
        } finally {
            if (!isStarted) {
                connections.release(admission);
                channel.close();
            }
        }
    }

    /** Returns the client's address; empty when the client has already disconnected. */
    private static Optional<InetSocketAddress> remote(SocketChannel channel) throws IOException {
        try {
            if (channel.getRemoteAddress() instanceof InetSocketAddress address) {
                return Optional.of(address);
            }
        } catch (IOException e) {
            log.atTrace().addKeyValue("error", e).log("connection lost");
        }
        channel.close();
        return Optional.empty();
    }

    private void sweep() {
        while (closed.getCount() > 0) {
            pause(SWEEP);
            connections.sweep();
        }
    }

    // --- requests ----------------------------------------------------------------------------------------------------

    private void handle(ServerRequest request, ServerResponse response) throws Exception {
        var connection = ClientConnection.of(request);
        connection.begin();
        try {
            if (!connection.isHttp2() && (isDraining || ChunkedBody.isIn(request))) {
                response.header(HeaderValues.CONNECTION_CLOSE);
            }
            switch (connection.admission()) {
                case ADMITTED -> handler.handle(request, response);
                case REFUSED -> {
                    response.header(HeaderValues.CONNECTION_CLOSE);
                    Answers.refuse(request, response, connections.tooMany());
                    Answers.closeIfRequested(request, response);
                }
                case SELF_CHECK -> {
                    if (request.prologue().uriPath().rawPathNoParams().equals(SELF_CHECK)) {
                        response.send();
                    } else {
                        handler.handle(request, response);
                    }
                }
            }
            endBody(request, connection);
        } finally {
            connection.end();
        }
    }

    /** Discards a body that the handler did not read, so that the next request does not start inside it. */
    private static void endBody(ServerRequest request, ClientConnection connection) {
        if (!RequestBodies.isUnread(request)) {
            return;
        }
        if (!connection.isHttp2()) {
            connection.leaveInputUnread();
            throw new CloseConnectionException("the body was not read");
        }
        try (var body = connection.beginBody()) {
            request.content().consume();
            if (body.cut() != null) {
                connection.closeWhenAnswered();
            }
        }
    }

    /** Gives our JSON error form to the responses with which Helidon rejects requests before they reach the handler. */
    private static DirectHandlers errors() {
        DirectHandler handler = (_, type, status, headers, message) -> {
            headers.set(HeaderValues.create(HeaderNames.CONTENT_TYPE, "application/json"));
            if (status.code() == 503) {
                headers.set(Answers.RETRY_SOON);
            }
            var isOurs = type == DirectHandler.EventType.OTHER && message != null;
            return DirectHandler.TransportResponse.builder()
                    .status(status)
                    .headers(headers)
                    .keepAlive(false)
                    .entity(ErrorBody.of(status.code(), isOurs ? message : status.reasonPhrase()))
                    .build();
        };
        var handlers = DirectHandlers.builder();
        for (var type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, handler);
        }
        return handlers.build();
    }

    // --- addresses, self-checks, closing
    // ----------------------------------------------------------------------------------------------------

    public int port() {
        return bound.getPort();
    }

    /** Returns the address at which this machine can reach the listener. */
    public InetSocketAddress localAddress() {
        return bound.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getPort())
                : bound;
    }

    /** Returns the TLS settings with which this process connects to its own listener; empty for plain HTTP. */
    public Optional<HttpConnection.Tls> tlsForSelfCheck() {
        return ownTls;
    }

    /**
     * Admits a connection from this local address even when the connection limit is reached or a client certificate is missing. The
     * process can then check its own listener. The caller must have bound a socket to the address, so no other client can use it.
     */
    public void allowSelfCheck(SocketAddress client) {
        selfChecks.add(client);
    }

    /** Reverts {@link #allowSelfCheck}. */
    public void endSelfCheck(SocketAddress client) {
        selfChecks.remove(client);
    }

    /** Whether a request comes from this process, see {@link #allowSelfCheck}. */
    public static boolean isSelfCheck(ServerRequest request) {
        return ClientConnection.of(request).admission() == Admission.SELF_CHECK;
    }

    /** Starts the drain: keeps serving, but asks HTTP/1.1 clients to reconnect. A new connection may reach another replica. */
    public void leave() {
        isDraining = true;
    }

    /** Closes within the grace period of the constructor. */
    @Override
    public void close() {
        close(grace);
    }

    /**
     * Asks clients to disconnect, lets running requests finish and stops accepting connections.
     *
     * @param limit after this time the listener closes every connection, even one with running requests
     */
    public void close(Duration limit) {
        if (closed.getCount() == 0) {
            return;
        }
        leave();
        var begin = System.nanoTime();
        try {
            connections.goAway();
            while (connections.hasHttp2()
                    && !isOver(limit, begin)
                    && !(isOver(GOAWAY_DELAY, begin) && connections.areIdle())) {
                Thread.sleep(POLL);
            }
            server.close();
            while (!connections.isEmpty() && !isOver(limit, begin)) {
                connections.cutIdle();
                Thread.sleep(POLL);
            }
        } catch (IOException e) {
            log.atDebug().addKeyValue("error", e).log("listener not closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closed.countDown();
        closeQuietly();
        connections.abortAll();
        protocols.executor().shutdown();
    }

    private void closeQuietly() {
        try {
            server.close();
        } catch (IOException e) {
            log.atDebug().addKeyValue("error", e).log("listener not closed");
        }
    }

    private static boolean isOver(Duration time, long begin) {
        return System.nanoTime() - begin >= time.toNanos();
    }
}
