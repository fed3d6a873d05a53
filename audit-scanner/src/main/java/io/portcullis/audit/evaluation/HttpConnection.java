package io.portcullis.audit.evaluation;

import io.portcullis.process.http.HttpAnswer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A connection to one server, for one request after the other. Blocks: its users are virtual threads, for which that costs a
 * fraction of what {@link java.net.http.HttpClient} takes per request. Only {@link #abort} may be called by other threads.
 */
final class HttpConnection implements AutoCloseable {

    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private final Socket plain;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private HttpConnection(Socket plain, Socket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Not connected yet; whoever has it can close it, and with it whatever is built on it. */
    static Socket socket() throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** @param context how to speak TLS; empty for plain HTTP */
    static HttpConnection open(Socket socket, URI server, Optional<SSLContext> context, Duration timeout)
            throws IOException {
        var port = server.getPort() >= 0 ? server.getPort() : context.isPresent() ? HTTPS : HTTP;
        var host = host(server).replaceAll("[\\[\\]]", "");
        socket.connect(new InetSocketAddress(host, port), Math.toIntExact(timeout.toMillis()));
        if (context.isEmpty()) {
            return new HttpConnection(socket, socket);
        }
        if (!(context.get().getSocketFactory().createSocket(socket, host, port, true) instanceof SSLSocket secure)) {
            throw new IllegalStateException("TLS makes other sockets");
        }
        var parameters = secure.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return new HttpConnection(socket, secure);
    }

    private static String host(URI server) {
        if (server.getHost() == null) {
            throw new IllegalArgumentException("the address of the policy server names no host");
        }
        return server.getHost();
    }

    HttpAnswer post(URI uri, byte[] body, int maxBytes) throws IOException {
        out.write(request(uri, body));
        out.flush();
        return HttpAnswer.read(in, maxBytes);
    }

    /** In one piece, which is one packet for most. */
    private static byte[] request(URI uri, byte[] body) {
        var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        var port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        var head = ("POST " + uri.getRawPath() + query + " HTTP/1.1\r\nHost: " + host(uri) + port
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        var whole = new byte[head.length + body.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(body, 0, whole, head.length, body.length);
        return whole;
    }

    /** Says good-bye; nothing may be under way. */
    @Override
    public void close() {
        quietly(socket);
    }

    /** At once; whatever is under way ends with an exception. */
    void abort() {
        quietly(plain);
    }

    /** A socket that cannot be closed is gone, one way or another. */
    static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // see above
        }
    }
}
