package io.portcullis.process.http;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.InputStream;
import java.util.Objects;

/**
 * A strict decoder for chunked HTTP/1.1 bodies. Helidon's decoder buffers a whole chunk, of any announced size, and skips the two bytes
 * after it without a check. This decoder rejects chunk extensions and trailers, because no client needs them.
 */
final class ChunkedBody extends InputStream {

    /** Enough for {@code 7fffffff} with leading zeros. The body limit is far smaller. */
    private static final int MAX_SIZE_DIGITS = 16;

    private final DataReader reader;
    private long leftInChunk;
    private boolean isAtEnd;
    private boolean isFirstChunk = true;

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

    /** @throws HttpProblem with status 400 when the encoding is invalid */
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
        if (!isFirstChunk) {
            expect('\r', "a chunk is longer than its size");
            expect('\n', "a chunk is longer than its size");
        }
        isFirstChunk = false;
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

    private void expect(char expected, String reason) {
        if (reader.read() != expected) {
            throw bad(reason);
        }
    }

    private static HttpProblem bad(String reason) {
        return new HttpProblem(400, "Bad chunked request body: " + reason);
    }
}
