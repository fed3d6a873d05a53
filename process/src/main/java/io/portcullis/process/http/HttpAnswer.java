package io.portcullis.process.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An HTTP/1.1 response, read from an untrusted peer: it may be oversized or malformed. The connection limits the read time, not this
 * class.
 *
 * @param headers keys are header names in lower case
 * @param pieces the body in the pieces that arrived, so that a large body is not in memory twice
 * @param isLast whether the connection cannot carry another request
 */
public record HttpAnswer(int status, Map<String, List<String>> headers, List<byte[]> pieces, boolean isLast) {

    /** The limit for status line and headers together. */
    private static final int MAX_HEAD_BYTES = 64 << 10;

    /** The least size that a chunk counts for, because a chunk of one byte takes more memory than one byte. */
    private static final int LEAST_CHUNK = 64;

    /** The index of the status code in {@code HTTP/1.1 200 OK}. */
    private static final int STATUS_BEGIN = 9;

    private static final int STATUS_END = 12;

    private static final int COPY_BYTES = 64 << 10;

    /** Status line and headers. */
    private record Head(int status, Map<String, List<String>> headers, boolean isHttp10) {

        static final long UNKNOWN = -1;

        private String last(String name) {
            var values = headers.getOrDefault(name, List.of());
            return values.isEmpty() ? "" : values.getLast().toLowerCase(Locale.ROOT);
        }

        long length() throws IOException {
            return headers.containsKey("content-length") ? number(last("content-length"), 10) : UNKNOWN;
        }

        boolean isChunked() {
            return last("transfer-encoding").endsWith("chunked");
        }

        boolean isLast() {
            return isHttp10
                    || headers.getOrDefault("connection", List.of()).stream()
                            .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
        }

        boolean isInterim() {
            return status / 100 == 1;
        }

        boolean hasNoBody() {
            return status == 204 || status == 304;
        }
    }

    /**
     * Reads exactly one response.
     *
     * @param maxBytes the limit for the body
     * @throws IOException when the response is truncated, is not HTTP/1, or is too large
     */
    public static HttpAnswer read(InputStream in, int maxBytes) throws IOException {
        var head = head(in);
        while (head.isInterim()) {
            head = head(in);
        }
        if (head.hasNoBody()) {
            return new HttpAnswer(head.status(), head.headers(), List.of(), head.isLast());
        }
        if (head.isChunked()) {
            return new HttpAnswer(head.status(), head.headers(), chunks(in, maxBytes), head.isLast());
        }
        if (head.length() == Head.UNKNOWN) {
            return new HttpAnswer(head.status(), head.headers(), List.of(untilClose(in, maxBytes)), true);
        }
        var body = exactly(in, head.length(), maxBytes);
        return new HttpAnswer(head.status(), head.headers(), List.of(body), head.isLast());
    }

    /**
     * Reads one response and writes its body to a stream. Only the body of a response with status 200 is read, and it must have a
     * Content-Length.
     *
     * @param maxBytes the limit for the body
     * @return the status
     * @throws IOException when the response is truncated, is not HTTP/1, or is too large
     */
    static int copy(InputStream in, OutputStream target, long maxBytes) throws IOException {
        var head = head(in);
        while (head.isInterim()) {
            head = head(in);
        }
        if (head.status() != HttpURLConnection.HTTP_OK) {
            return head.status();
        }
        if (head.isChunked() || head.length() == Head.UNKNOWN) {
            throw new IOException("the answer does not say how long it is");
        }
        if (head.length() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        var buffer = new byte[COPY_BYTES];
        for (var left = head.length(); left > 0; ) {
            var count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (count < 0) {
                throw new EOFException("the connection ended within the answer");
            }
            target.write(buffer, 0, count);
            left -= count;
        }
        return head.status();
    }

    /** Returns the body as one array. */
    public byte[] body() {
        if (pieces.size() == 1) {
            return pieces.getFirst();
        }
        var whole = new ByteArrayOutputStream();
        pieces.forEach(whole::writeBytes);
        return whole.toByteArray();
    }

    private static Head head(InputStream in) throws IOException {
        var left = MAX_HEAD_BYTES;
        var first = line(in, left);
        var status = status(first);
        left -= first.length();
        var headers = new HashMap<String, List<String>>();
        for (var line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            left -= line.length();
            var colon = line.indexOf(':');
            headers.computeIfAbsent(
                            line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT), _ -> new ArrayList<>(1))
                    .add(line.substring(colon + 1).strip());
        }
        return new Head(status, headers, first.startsWith("HTTP/1.0"));
    }

    private static int status(String line) throws IOException {
        var isHttp = line.startsWith("HTTP/1.1 ") || line.startsWith("HTTP/1.0 ");
        var status = isHttp && (line.length() == STATUS_END || line.startsWith(" ", STATUS_END))
                ? line.substring(STATUS_BEGIN, STATUS_END)
                : "";
        if (status.isEmpty()
                || !status.chars().allMatch(digit -> digit >= '0' && digit <= '9')
                || status.charAt(0) < '1'
                || status.charAt(0) > '5') {
            throw new IOException("the answer is not HTTP/1.1");
        }
        return Integer.parseInt(status);
    }

    /** Reads a line and returns it without the line terminator. */
    private static String line(InputStream in, int maxBytes) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended without an answer");
            }
            if (line.size() >= maxBytes) {
                throw new IOException("the head of the answer is too long");
            }
            line.write(next);
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static long number(String text, int radix) throws IOException {
        try {
            var number = Long.parseLong(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // reported below
        }
        throw new IOException("the answer does not say how long it is: " + text);
    }

    private static byte[] exactly(InputStream in, long length, int maxBytes) throws IOException {
        if (length > maxBytes) {
            throw tooLarge(maxBytes);
        }
        var body = in.readNBytes((int) length);
        if (body.length < length) {
            throw new EOFException("the connection ended within the answer");
        }
        return body;
    }

    private static byte[] untilClose(InputStream in, int maxBytes) throws IOException {
        var body = in.readNBytes(maxBytes);
        if (in.read() >= 0) {
            throw tooLarge(maxBytes);
        }
        return body;
    }

    private static List<byte[]> chunks(InputStream in, int maxBytes) throws IOException {
        var chunks = new ArrayList<byte[]>();
        var left = maxBytes;
        while (true) {
            var size = line(in, MAX_HEAD_BYTES);
            var semicolon = size.indexOf(';');
            var length = number((semicolon < 0 ? size : size.substring(0, semicolon)).strip(), 16);
            if (length == 0) {
                break;
            }
            if (length > left) {
                throw tooLarge(maxBytes);
            }
            chunks.add(exactly(in, length, maxBytes));
            left -= (int) Math.max(length, LEAST_CHUNK);
            if (!line(in, 2).isEmpty()) {
                throw new IOException("a chunk of the answer is longer than it says");
            }
        }
        var trailerBytes = MAX_HEAD_BYTES;
        for (var trailer = line(in, trailerBytes); !trailer.isEmpty(); trailer = line(in, trailerBytes)) {
            trailerBytes -= trailer.length();
        }
        return chunks;
    }

    private static IOException tooLarge(long maxBytes) {
        return new IOException("the answer is larger than " + (maxBytes >> 20) + " MiB");
    }
}
