package io.portcullis.artifacts.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads HTTP/1.1 responses of untrusted servers. The parser is bounded and strict, and never allocates by declared
 * lengths.
 *
 * @param values header values by lower-case name
 */
record ResponseHead(int status, Map<String, List<String>> values) {

    /** Limit for the status line and all headers together. */
    static final int MAX_HEAD_BYTES = 64 << 10;

    private static final int MAX_INTERIM = 8;
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: .*)?");
    private static final Pattern HEADER = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*(.*?)[ \\t]*");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("([0-9A-Fa-f]{1,15})[ \\t]*(?:;.*)?");

    /** Reads the head of the final response and skips interim (1xx) responses. */
    static ResponseHead read(InputStream in) throws IOException {
        for (int interim = 0; interim <= MAX_INTERIM; interim++) {
            var head = readOne(in);
            if (head.status() >= 200) {
                return head;
            }
            if (head.status() == 101) {
                break;
            }
        }
        throw new IOException("the server answers with interim responses only");
    }

    private static ResponseHead readOne(InputStream in) throws IOException {
        var budget = new int[] {MAX_HEAD_BYTES};
        var first = STATUS_LINE.matcher(line(in, budget));
        if (!first.matches()) {
            throw new IOException("the answer is not HTTP/1.1");
        }
        var values = new HashMap<String, List<String>>();
        for (var line = line(in, budget); !line.isEmpty(); line = line(in, budget)) {
            var header = HEADER.matcher(line);
            if (!header.matches()) {
                throw new IOException("a header of the answer is malformed");
            }
            values.computeIfAbsent(header.group(1).toLowerCase(Locale.ROOT), _ -> new ArrayList<>(1))
                    .add(header.group(2));
        }
        return new ResponseHead(Integer.parseInt(first.group(1)), values);
    }

    HttpHeaders headers() {
        return HttpHeaders.of(values, (_, _) -> true);
    }

    /** Returns the body that follows this head. */
    InputStream body(InputStream in, String method) throws IOException {
        var encodings = values.getOrDefault("transfer-encoding", List.of());
        var lengths = values.getOrDefault("content-length", List.of());
        if (method.equals("HEAD") || status == 204 || status == 304) {
            return InputStream.nullInputStream();
        }
        if (!encodings.isEmpty()) {
            if (!lengths.isEmpty()
                    || encodings.size() > 1
                    || !encodings.getFirst().equalsIgnoreCase("chunked")) {
                throw new IOException("the response declares its length in two ways");
            }
            return new ChunkedBody(in);
        }
        if (lengths.isEmpty()) {
            return in;
        }
        if (lengths.stream().distinct().count() > 1
                || !LENGTH.matcher(lengths.getFirst()).matches()) {
            throw new IOException("the answer has no valid length");
        }
        return new FixedBody(in, Long.parseLong(lengths.getFirst()));
    }

    private static String line(InputStream in, int[] budget) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended within the answer");
            }
            if (--budget[0] <= 0) {
                throw new IOException("the head of the answer is longer than " + MAX_HEAD_BYTES + " bytes");
            }
            line.write(next);
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** A body that reads blocks. */
    private abstract static class BlockBody extends InputStream {

        @Override
        public final int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public abstract int read(byte[] buffer, int offset, int length) throws IOException;
    }

    /** Ends after the declared number of bytes; an earlier end is an error. */
    private static final class FixedBody extends BlockBody {

        private final InputStream in;
        private long left;

        FixedBody(InputStream in, long left) {
            this.in = in;
            this.left = left;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int read = in.read(buffer, offset, (int) Math.min(length, left));
            if (read < 0) {
                throw new EOFException("the body ended " + left + " bytes early");
            }
            left -= read;
            return read;
        }
    }

    /** Decodes chunks and skips trailers. */
    private static final class ChunkedBody extends BlockBody {

        private final InputStream in;
        private long left;
        private boolean started;
        private boolean ended;

        ChunkedBody(InputStream in) {
            this.in = in;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int read = in.read(buffer, offset, (int) Math.min(length, left));
            if (read < 0) {
                throw new EOFException("the body ended within a chunk");
            }
            left -= read;
            return read;
        }

        private void nextChunk() throws IOException {
            var budget = new int[] {MAX_HEAD_BYTES};
            if (started && !line(in, budget).isEmpty()) {
                throw new IOException("a chunk is longer than declared");
            }
            started = true;
            var size = CHUNK_SIZE.matcher(line(in, budget));
            if (!size.matches()) {
                throw new IOException("a chunk has no valid size");
            }
            left = Long.parseLong(size.group(1), 16);
            if (left == 0) {
                ended = true;
                while (!line(in, budget).isEmpty()) {
                    // Skip a trailer.
                }
            }
        }
    }
}
