package io.portcullis.audit.cluster;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Collects a response body up to a limit and cancels larger bodies. The HTTP client's threads call it one at a time.
 * Callers read it after the body is complete.
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

    /** Completes when the body exceeds the limit; otherwise never. */
    CompletableFuture<Void> tooLarge() {
        return tooLarge;
    }

    /** Returns the bytes and releases the buffers, so that both copies exist only briefly. */
    synchronized byte[] take() {
        var whole = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(whole::put);
        parts.clear();
        return whole.array();
    }
}
