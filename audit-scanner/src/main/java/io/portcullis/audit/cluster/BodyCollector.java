package io.portcullis.audit.cluster;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The body of an answer as it comes in, up to a limit: what is larger is not read to its end. Fed by one thread of the HTTP
 * client after the other; read when all of it has come.
 */
final class BodyCollector implements AsyncBody.Consumer<List<ByteBuffer>> {

    private final int limit;
    private final List<ByteBuffer> parts = new ArrayList<>();
    private long size;
    private final CompletableFuture<Void> tooLarge = new CompletableFuture<>();

    BodyCollector(int limit) {
        this.limit = limit;
    }

    @Override
    public synchronized void consume(List<ByteBuffer> buffers, AsyncBody body) {
        for (var buffer : buffers) {
            size += buffer.remaining();
            parts.add(buffer);
        }
        if (size > limit) {
            parts.clear();
            tooLarge.complete(null);
            body.cancel();
        } else {
            body.consume();
        }
    }

    /** Completes as soon as there is more than the limit; else never. */
    CompletableFuture<Void> tooLarge() {
        return tooLarge;
    }

    /** Gives the bytes away, so that they are in memory twice for a moment only. */
    synchronized byte[] take() {
        var whole = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(whole::put);
        parts.clear();
        return whole.array();
    }
}
