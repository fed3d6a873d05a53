package io.portcullis.controller.evidence;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** One HTTP/1.1 answer from a peer that is not trusted to be short, quick or well-formed. */
final class HttpAnswer {

    private static final int LONGEST_LINE = 8 * 1024;
    private static final int MOST_HEADERS = 100;
    /** Thousands of policies fit. */
    private static final int LARGEST_BODY = 16 * 1024 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final long deadlineNanos;

    HttpAnswer(Socket socket, long deadlineNanos) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.deadlineNanos = deadlineNanos;
    }

    /** @throws IOException when the answer is not a complete success */
    byte[] body() throws IOException {
        var status = line();
        if (!status.matches("HTTP/1\\.[01] \\d{3}( .*)?")) {
            throw new IOException("not an HTTP answer");
        }
        var code = status.substring(9, 12);
        if (!code.equals("200")) {
            throw new IOException("answered with status " + code);
        }
        var headers = headers();
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks();
        }
        var length = headers.get("content-length");
        return length == null ? rest() : exactly(size(length, 10));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < MOST_HEADERS; i++) {
            var line = line();
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        throw new IOException("too many headers");
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        while (true) {
            int size = size(line().replaceFirst(";.*", "").strip(), 16);
            if (size == 0) {
                return body.toByteArray();
            }
            if (body.size() + size > LARGEST_BODY) {
                throw tooLarge();
            }
            body.writeBytes(exactly(size));
            line();
        }
    }

    private static int size(String text, int radix) throws IOException {
        try {
            int size = Integer.parseInt(text, radix);
            if (size < 0 || size > LARGEST_BODY) {
                throw tooLarge();
            }
            return size;
        } catch (NumberFormatException e) {
            throw new IOException("not an HTTP answer", e);
        }
    }

    private static IOException tooLarge() {
        return new IOException("the answer is too large");
    }

    private byte[] rest() throws IOException {
        var body = new ByteArrayOutputStream();
        var buffer = new byte[8192];
        for (int read = read(buffer, 0, buffer.length); read >= 0; read = read(buffer, 0, buffer.length)) {
            if (body.size() + read > LARGEST_BODY) {
                throw tooLarge();
            }
            body.write(buffer, 0, read);
        }
        return body.toByteArray();
    }

    private byte[] exactly(int size) throws IOException {
        var body = new byte[size];
        int filled = 0;
        while (filled < size) {
            int read = read(body, filled, size - filled);
            if (read < 0) {
                throw new IOException("the answer ends early");
            }
            filled += read;
        }
        return body;
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        var one = new byte[1];
        while (read(one, 0, 1) == 1) {
            if (one[0] == '\n') {
                return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
            }
            line.write(one[0]);
            if (line.size() > LONGEST_LINE) {
                throw new IOException("a line of the answer is too long");
            }
        }
        throw new IOException("the answer ends early");
    }

    /** The limit is for the whole answer, not for each piece of it. */
    private int read(byte[] buffer, int offset, int length) throws IOException {
        long left = Duration.ofNanos(deadlineNanos - System.nanoTime()).toMillis();
        if (left <= 0) {
            throw new SocketTimeoutException("the answer takes too long");
        }
        socket.setSoTimeout((int) left);
        return in.read(buffer, offset, length);
    }
}
