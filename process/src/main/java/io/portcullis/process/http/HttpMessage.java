package io.portcullis.process.http;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * An HTTP/1.1 request.
 *
 * @param headers without Host and Content-Length, which {@link #bytes} derives
 * @param body empty for methods without a body
 */
public record HttpMessage(String method, URI uri, Map<String, List<String>> headers, byte[] body) {

    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    /** @throws IllegalArgumentException when the URI has no host, or when a header is not printable and could inject another header */
    public HttpMessage {
        if (uri.getHost() == null) {
            throw new IllegalArgumentException("the address of the server names no host");
        }
        headers.forEach((name, values) -> {
            check(name);
            values.forEach(HttpMessage::check);
        });
    }

    /** Rejects control characters: a line break would start another header. The message omits the value, which may be a token. */
    private static void check(String text) {
        if (text.chars().anyMatch(letter -> (letter < ' ' && letter != '\t') || letter > '~')) {
            throw new IllegalArgumentException("a header of the request is not printable");
        }
    }

    /** Returns the address of the server. */
    public InetSocketAddress address() {
        var port = uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? HTTPS : HTTP;
        return new InetSocketAddress(uri.getHost().replaceAll("[\\[\\]]", ""), port);
    }

    /** Encodes head and body in one array, so that most requests fit into one packet. */
    byte[] bytes() {
        var head = new StringBuilder(512)
                .append(method)
                .append(' ')
                .append(uri.getRawPath().isEmpty() ? "/" : uri.getRawPath());
        if (uri.getRawQuery() != null) {
            head.append('?').append(uri.getRawQuery());
        }
        head.append(" HTTP/1.1\r\nHost: ").append(uri.getHost());
        if (uri.getPort() >= 0) {
            head.append(':').append(uri.getPort());
        }
        headers.forEach((name, values) -> values.forEach(
                value -> head.append("\r\n").append(name).append(": ").append(value)));
        if (body.length > 0 || method.startsWith("P")) {
            head.append("\r\nContent-Length: ").append(body.length);
        }
        var start = head.append("\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        var whole = new byte[start.length + body.length];
        System.arraycopy(start, 0, whole, 0, start.length);
        System.arraycopy(body, 0, whole, start.length, body.length);
        return whole;
    }
}
