package io.portcullis.process.http;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A client connection to one server that carries one request at a time. Its methods block. Callers use virtual threads, for which
 * blocking costs a fraction of what {@link java.net.http.HttpClient} costs per request. Only {@link #abort} may be called by other
 * threads.
 */
public final class HttpConnection implements AutoCloseable {

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final Socket plain;
    private final Socket socket;
    private final DeadlineInputStream input;
    private final InputStream in;
    private final OutputStream out;

    /**
     * TLS settings of a connection.
     *
     * @param name the host name that the server certificate must contain
     */
    public record Tls(SSLContext context, String name) {}

    private HttpConnection(Socket plain, Socket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.input = new DeadlineInputStream(socket);
        this.in = new BufferedInputStream(input);
        this.out = socket.getOutputStream();
    }

    /** Creates a socket that is not connected yet. Closing it also closes the connection that {@link #open} builds on it. */
    public static Socket socket() throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** Opens a connection over a new socket. */
    public static HttpConnection open(InetSocketAddress address, Optional<Tls> tls, Duration limit) throws IOException {
        return open(socket(), address, tls, limit);
    }

    /**
     * Connects the socket and completes the TLS handshake. Closes the socket when that fails.
     *
     * @param tls empty for plain HTTP
     * @param limit for the connect, and again for the handshake
     */
    public static HttpConnection open(Socket socket, InetSocketAddress address, Optional<Tls> tls, Duration limit)
            throws IOException {
        try {
            return connect(socket, address, tls, limit);
        } catch (IOException | RuntimeException e) {
            quietly(socket);
            throw e;
        }
    }

    private static HttpConnection connect(Socket socket, InetSocketAddress address, Optional<Tls> tls, Duration limit)
            throws IOException {
        socket.connect(address, Math.toIntExact(Math.max(1, limit.toMillis()))); // 0 is no limit
        if (tls.isEmpty()) {
            return new HttpConnection(socket, socket);
        }
        var factory = tls.get().context().getSocketFactory();
        if (!(factory.createSocket(socket, tls.get().name(), address.getPort(), true) instanceof SSLSocket secure)) {
            throw new IllegalStateException("the TLS socket factory returned a socket without TLS");
        }
        var parameters = secure.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        handshake(socket, secure, limit);
        return new HttpConnection(socket, secure);
    }

    /** Completes the TLS handshake within the limit, even when the server sends it byte by byte. */
    private static void handshake(Socket plain, SSLSocket secure, Duration limit) throws IOException {
        var isTimedOut = new AtomicBoolean();
        var timer = Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(limit);
                isTimedOut.set(true);
                quietly(plain);
            } catch (InterruptedException _) {
                // the handshake ended in time
            }
        });
        try {
            secure.startHandshake();
        } catch (IOException e) {
            throw isTimedOut.get() ? new SocketTimeoutException("the handshake takes too long") : e;
        } finally {
            timer.interrupt();
        }
    }

    /**
     * Sends one request and reads its answer.
     *
     * @param limit until the answer is complete, even when it arrives slowly
     * @throws SocketTimeoutException when the answer is not complete within the limit
     */
    public HttpAnswer exchange(HttpMessage request, int maxBytes, Duration limit) throws IOException {
        input.until(System.nanoTime() + limit.toNanos());
        out.write(request.bytes());
        out.flush();
        return HttpAnswer.read(in, maxBytes);
    }

    /**
     * Sends one request and writes the body of its answer to a stream, so that a large body is never in memory as a whole. The
     * connection carries no further request.
     *
     * @param maxBytes the limit for the body
     * @param limit until the answer is complete, even when it arrives slowly
     * @return the status. Only the body of an answer with status 200 is read
     */
    public int download(HttpMessage request, OutputStream target, long maxBytes, Duration limit) throws IOException {
        input.until(System.nanoTime() + limit.toNanos());
        out.write(request.bytes());
        out.flush();
        return HttpAnswer.copy(in, target, maxBytes);
    }

    /** Closes the connection with TLS close_notify. No exchange may be running. */
    @Override
    public void close() {
        quietly(socket);
    }

    /** Closes the socket at once. A running exchange ends with an exception. */
    public void abort() {
        quietly(plain);
    }

    /** Closes a socket and ignores a failure, because such a socket is unusable anyway. */
    public static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // see above
        }
    }

    /** Limits the time until all bytes have arrived. Sockets themselves only limit the wait for the next bytes. */
    private static final class DeadlineInputStream extends FilterInputStream {

        private final Socket socket;
        private long deadline;

        DeadlineInputStream(Socket socket) throws IOException {
            super(socket.getInputStream());
            this.socket = socket;
        }

        void until(long nanos) {
            deadline = nanos;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            var left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new SocketTimeoutException("the answer takes too long");
            }
            socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
            return super.read(bytes, offset, length);
        }
    }
}
