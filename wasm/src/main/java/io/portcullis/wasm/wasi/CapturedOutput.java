package io.portcullis.wasm.wasi;

import java.util.Arrays;

/**
 * The output of a guest to standard output or error, up to a limit. Further writes succeed for the guest, but are dropped
 * and set {@link #isTruncated}. Confined to the guest's thread.
 */
public final class CapturedOutput {

    private final int limit;
    private byte[] bytes = new byte[0];
    private int size;
    private boolean truncated;

    CapturedOutput(int limit) {
        this.limit = limit;
    }

    public byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean isTruncated() {
        return truncated;
    }

    /** Returns how many more bytes are stored. */
    int room() {
        return limit - size;
    }

    /** @param more no longer than {@link #room} */
    void append(byte[] more) {
        var wanted = size + more.length;
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(limit, Math.max(256L, wanted * 2L)));
        }
        System.arraycopy(more, 0, bytes, size, more.length);
        size = wanted;
    }

    void markTruncated() {
        truncated = true;
    }
}
