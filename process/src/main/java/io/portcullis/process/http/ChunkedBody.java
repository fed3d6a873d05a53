package io.portcullis.process.http;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.InputStream;
import java.util.Objects;

/**
 * Decodes a chunked body of HTTP/1.1 strictly. Helidon's decoder collects a whole chunk, however large the client announces it, and skips
 * the two bytes after it unseen. No client of ours needs chunk extensions or trailers: both are refused.
 */
final class ChunkedBody extends InputStream {

    /** Enough for {@code 7fffffff} with leading zeros; a body is limited long before. */
    private static final int MAX_SIZE_DIGITS = 16;

    private final DataReader reader;
    private long leftInChunk;
    private boolean isAtEnd;
    private boolean isFirst = true;

    ChunkedBody(DataReader reader) {
        this.reader = reader;
    }

    static boolean isIn(ServerRequest request) {
        return request.headers().contains(HeaderNames.TRANSFER_ENCODING);
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** @throws HttpProblem 400 */
    @Override
    public int read(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (leftInChunk == 0 && !isAtEnd) {
            nextChunk();
        }
        if (isAtEnd) {
            return -1;
        }
        reader.ensureAvailable();
        var count = (int) Math.min(Math.min(length, leftInChunk), reader.available());
        System.arraycopy(reader.readBytes(count), 0, bytes, offset, count);
        leftInChunk -= count;
        return count;
    }

    private void nextChunk() {
        if (!isFirst) {
            expect('\r', "a chunk is longer than its size");
            expect('\n', "a chunk is longer than its size");
        }
        isFirst = false;
        leftInChunk = size();
        if (leftInChunk == 0) {
            expect('\r', "trailers are not supported");
            expect('\n', "trailers are not supported");
            isAtEnd = true;
        }
    }

    private long size() {
        var size = 0L;
        for (var digits = 0; digits <= MAX_SIZE_DIGITS; digits++) {
            var next = (char) reader.read();
            var digit = Character.digit(next, 16);
            if (digit >= 0 && next < 0x80 && digits < MAX_SIZE_DIGITS && size <= Integer.MAX_VALUE) {
                size = size << 4 | digit;
            } else if (next == '\r' && digits > 0) {
                expect('\n', "a chunk size is not followed by a line end");
                return size;
            } else {
                throw bad(
                        next == ';'
                                ? "chunk extensions are not supported"
                                : "a chunk size is not a hexadecimal number");
            }
        }
        throw bad("a chunk size is too long");
    }

    private void expect(char expected, String otherwise) {
        if (reader.read() != expected) {
            throw bad(otherwise);
        }
    }

    private static HttpProblem bad(String reason) {
        return new HttpProblem(400, "Bad chunked request body: " + reason);
    }
}
