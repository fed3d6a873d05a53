package io.portcullis.server.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import javax.net.ssl.SSLContext;

/** One connection of the load generator. It sends one request at a time. */
sealed interface LoadConnection extends AutoCloseable {

    /**
     * Sends the request and reads the answer.
     *
     * @throws IOException if the status is not 200
     */
    void send() throws IOException;

    @Override
    void close() throws IOException;

    /** @param tls used if the URI is {@code https}: then requests are sent by HTTP/2 */
    static LoadConnection open(URI server, String path, byte[] body, SSLContext tls) throws IOException {
        return server.getScheme().equals("https")
                ? new Http2(server.resolve(path), body, tls)
                : new Http1(server, path, body);
    }

    /** HTTP/1.1 over a raw socket, which needs little CPU of the load generator. */
    final class Http1 implements LoadConnection {

        private final Socket socket;
        private final byte[] request;
        private final byte[] buffer = new byte[16 << 10];

        private Http1(URI server, String path, byte[] body) throws IOException {
            var head = "POST " + path + " HTTP/1.1\r\nHost: " + server.getAuthority()
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
            var bytes = head.getBytes(StandardCharsets.US_ASCII);
            request = Arrays.copyOf(bytes, bytes.length + body.length);
            System.arraycopy(body, 0, request, bytes.length, body.length);
            socket = new Socket(server.getHost(), server.getPort());
            socket.setTcpNoDelay(true);
        }

        @Override
        public void send() throws IOException {
            socket.getOutputStream().write(request);
            readAnswer(socket.getInputStream());
        }

        private void readAnswer(InputStream in) throws IOException {
            var filled = 0;
            var end = -1;
            while (end < 0 || filled < end) {
                var read = in.read(buffer, filled, buffer.length - filled);
                if (read < 0) {
                    throw new IOException("the server closed the connection");
                }
                filled += read;
                if (end < 0) {
                    end = endOfAnswer(filled);
                }
            }
        }

        /** Returns -1 while the head is incomplete. */
        private int endOfAnswer(int filled) throws IOException {
            for (var i = 3; i < filled; i++) {
                if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n') {
                    var head = new String(buffer, 0, i + 1, StandardCharsets.US_ASCII);
                    if (!head.startsWith("HTTP/1.1 200")) {
                        throw new IOException(
                                "not 200: " + head.lines().findFirst().orElse(""));
                    }
                    var length = head.toLowerCase(Locale.ROOT).indexOf("content-length:") + 15;
                    return i
                            + 1
                            + Integer.parseInt(head.substring(length, head.indexOf('\r', length))
                                    .strip());
                }
            }
            return -1;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** HTTP/2 over TLS, as API servers use it. Each connection has a client of its own. */
    final class Http2 implements LoadConnection {

        private final HttpClient client;
        private final HttpRequest request;

        private Http2(URI uri, byte[] body, SSLContext tls) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_2)
                    .sslContext(tls)
                    .build();
            request = HttpRequest.newBuilder(uri)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofByteArray(body))
                    .build();
        }

        @Override
        public void send() throws IOException {
            try {
                var status = client.send(request, BodyHandlers.discarding()).statusCode();
                if (status != 200) {
                    throw new IOException("not 200: " + status);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
