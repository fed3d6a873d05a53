package io.portcullis.artifacts.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Sends one HTTP/1.1 request over its own connection, to an address that the caller checked. The JDK's client
 * resolves names itself, so a caller cannot check the address that it connects to.
 */
final class DirectConnection {

    private static final int PORT_HTTPS = 443;
    private static final int PORT_HTTP = 80;

    private final HttpLimits limits;
    private final ScheduledExecutorService timers;

    DirectConnection(HttpLimits limits, ScheduledExecutorService timers) {
        this.limits = limits;
        this.timers = timers;
    }

    /** The head of a response, and the body, which the caller closes. */
    record Received(int status, HttpHeaders headers, InputStream body) {}

    /**
     * @param uri of the request, with the scheme to use
     * @param tls absent for plain HTTP
     * @param verifiesHost whether the certificate must match the host name
     */
    Received exchange(
            Request request, URI uri, List<InetAddress> addresses, Optional<SSLContext> tls, boolean verifiesHost)
            throws IOException {
        var body = bytes(request.body().get());
        var socket = connect(uri, addresses);
        try {
            var stream = within(
                    limits.connect(),
                    socket,
                    () -> tls.isPresent() ? secured(socket, uri, tls.get(), verifiesHost) : socket);
            return within(limits.response(), socket, () -> {
                var out = stream.getOutputStream();
                out.write(head(request, uri, body.length));
                out.write(body);
                out.flush();
                var in = new BufferedInputStream(stream.getInputStream());
                var head = ResponseHead.read(in);
                // PacedBody enforces the transfer rate of the body.
                return new Received(
                        head.status(), head.headers(), new ClosingBody(head.body(in, request.method()), socket));
            });
        } catch (IOException | RuntimeException e) {
            closeQuietly(socket);
            throw e;
        }
    }

    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    /** Runs a step. Closes the socket if the step exceeds the limit. */
    private <T> T within(Duration limit, Socket socket, Step<T> step) throws IOException {
        var late = new AtomicBoolean();
        var watch = timers.schedule(() -> abort(socket, late), limit.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return step.run();
        } catch (IOException e) {
            if (late.get()) {
                throw new HttpTimeoutException("no answer in time");
            }
            throw e;
        } finally {
            watch.cancel(false);
        }
    }

    private static void abort(Socket socket, AtomicBoolean late) {
        late.set(true);
        closeQuietly(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is no longer in use.
        }
    }

    private Socket connect(URI uri, List<InetAddress> addresses) throws IOException {
        var defaultPort = "https".equals(uri.getScheme()) ? PORT_HTTPS : PORT_HTTP;
        var port = uri.getPort() < 0 ? defaultPort : uri.getPort();
        IOException last = new ConnectException("no address");
        for (var address : addresses) {
            var socket = new Socket();
            try {
                socket.setTcpNoDelay(true);
                socket.connect(new InetSocketAddress(address, port), (int)
                        limits.connect().toMillis());
                return socket;
            } catch (IOException e) {
                closeQuietly(socket);
                last = e;
            }
        }
        throw last;
    }

    private static Socket secured(Socket socket, URI uri, SSLContext context, boolean verifiesHost) throws IOException {
        var host = uri.getHost().replaceAll("[\\[\\]]", "");
        var secured = (SSLSocket) context.getSocketFactory().createSocket(socket, host, socket.getPort(), true);
        if (verifiesHost) {
            var parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
        }
        secured.startHandshake();
        return secured;
    }

    private static byte[] head(Request request, URI uri, int length) throws IOException {
        var path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        var head = new StringBuilder()
                .append(request.method())
                .append(' ')
                .append(path)
                .append(query)
                .append(" HTTP/1.1\r\nHost: ")
                .append(uri.getRawAuthority())
                .append("\r\nUser-Agent: portcullis\r\nConnection: close\r\n");
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            var line = header.getKey() + ": " + header.getValue();
            if (line.chars().anyMatch(each -> each < ' ' && each != '\t')) {
                throw new IOException("a header of the request has a control character");
            }
            head.append(line).append("\r\n");
        }
        if (length > 0) {
            head.append("Content-Length: ").append(length).append("\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the bytes of a request body. The body is always in memory. */
    private static byte[] bytes(HttpRequest.BodyPublisher publisher) {
        var collected = new ByteArrayOutputStream();
        if (publisher.contentLength() == 0) {
            return new byte[0];
        }
        publisher.subscribe(new Flow.Subscriber<ByteBuffer>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(ByteBuffer part) {
                while (part.hasRemaining()) {
                    collected.write(part.get());
                }
            }

            @Override
            public void onError(Throwable failure) {
                throw new IllegalStateException("a body in memory cannot fail", failure);
            }

            @Override
            public void onComplete() {
                // onNext collected everything.
            }
        });
        return collected.toByteArray();
    }

    /** Closes the connection when the body is closed. */
    private static final class ClosingBody extends InputStream {

        private final InputStream body;
        private final Socket socket;

        ClosingBody(InputStream body, Socket socket) {
            this.body = body;
            this.socket = socket;
        }

        @Override
        public int read() throws IOException {
            return body.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            return body.read(buffer, offset, length);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
