package io.portcullis.wasm.wasi;

import io.portcullis.wasm.TrapException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Standard input as a queue of bytes: reads take from the front, an empty queue is the end of file, and the host may
 * append while the guest runs (that is how answers to host calls reach WASI guests). Confined to the guest's thread.
 */
public final class StandardInput {

    /** More than a request and the answer to a host call. */
    static final long MAX_UNREAD_BYTES = 64L << 20;

    private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();
    private int consumed;
    private long unread;

    /**
     * Keeps the array; the caller must not change it afterwards.
     *
     * @throws TrapException when the guest reads too little of what it asks for
     */
    public void append(byte[] bytes) {
        if (unread + bytes.length > MAX_UNREAD_BYTES) {
            throw TrapException.byHost(
                    "the policy left more than %d bytes of its standard input unread".formatted(MAX_UNREAD_BYTES));
        }
        if (bytes.length > 0) {
            chunks.add(bytes);
            unread += bytes.length;
        }
    }

    /** Passes at most {@code limit} bytes to {@code sink}. @return how many, 0 at the end */
    int read(long limit, Sink sink) {
        byte @Nullable [] chunk = chunks.peek();
        if (chunk == null || limit <= 0) {
            return 0;
        }
        var length = (int) Math.min(limit, chunk.length - consumed);
        sink.accept(chunk, consumed, length);
        consumed += length;
        unread -= length;
        if (consumed == chunk.length) {
            chunks.remove();
            consumed = 0;
        }
        return length;
    }

    /** Takes a part of an array. */
    @FunctionalInterface
    interface Sink {
        void accept(byte[] bytes, int offset, int length);
    }
}
