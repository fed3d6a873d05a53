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
 * A connection to one server, for one request after the other. Blocks: its users are virtual threads, for which that costs a
 * fraction of what {@link java.net.http.HttpClient} takes per request. Only {@link #abort} may be called by other threads.
 */
public final class HttpConnection implements AutoCloseable {

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final Socket plain;
    private final Socket socket;
    private final Waiting waiting;
    private final InputStream in;
    private final OutputStream out;

    /**
     * How to speak TLS.
     *
     * @param name what the certificate must be for
     */
    public record Tls(SSLContext context, String name) {}

    private HttpConnection(Socket plain, Socket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.waiting = new Waiting(socket);
        this.in = new BufferedInputStream(waiting);
        this.out = socket.getOutputStream();
    }

    /** Not connected yet; whoever has it can close it, and with it whatever is built on it. */
    public static Socket socket() throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        return socket;
    }

    /**
     * @param tls empty for plain HTTP
     * @param limit for connecting, and again for the handshake
     */
    public static HttpConnection open(Socket socket, InetSocketAddress address, Optional<Tls> tls, Duration limit)
            throws IOException {
        socket.connect(address, Math.toIntExact(Math.max(1, limit.toMillis()))); // 0 is no limit
        if (tls.isEmpty()) {
            return new HttpConnection(socket, socket);
        }
        var factory = tls.get().context().getSocketFactory();
        if (!(factory.createSocket(socket, tls.get().name(), address.getPort(), true) instanceof SSLSocket secure)) {
            throw new IllegalStateException("TLS makes other sockets");
        }
        var parameters = secure.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        handshake(socket, secure, limit);
        return new HttpConnection(socket, secure);
    }

    /** Whoever sends a byte of it now and then must not keep us waiting. */
    private static void handshake(Socket plain, SSLSocket secure, Duration limit) throws IOException {
        var isOver = new AtomicBoolean();
        var end = Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(limit);
                isOver.set(true);
                quietly(plain);
            } catch (InterruptedException _) {
                // it has ended
            }
        });
        try {
            secure.startHandshake();
        } catch (IOException e) {
            throw isOver.get() ? new SocketTimeoutException("the handshake takes too long") : e;
        } finally {
            end.interrupt();
        }
    }

    /**
     * One request and its answer.
     *
     * @param limit until all of the answer is there, however slowly it comes
     * @throws SocketTimeoutException when it is not
     */
    public HttpAnswer exchange(HttpMessage request, int maxBytes, Duration limit) throws IOException {
        waiting.until(System.nanoTime() + limit.toNanos());
        out.write(request.bytes());
        out.flush();
        return HttpAnswer.read(in, maxBytes);
    }

    /** Says good-bye; nothing may be under way. */
    @Override
    public void close() {
        quietly(socket);
    }

    /** At once; whatever is under way ends with an exception. */
    public void abort() {
        quietly(plain);
    }

    /** A socket that cannot be closed is gone, one way or another. */
    public static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // see above
        }
    }

    /** Sockets limit the wait for the next bytes; this limits the wait for all of them. */
    private static final class Waiting extends FilterInputStream {

        private final Socket socket;
        private long deadline;

        Waiting(Socket socket) throws IOException {
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
