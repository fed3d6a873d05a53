package io.portcullis.artifacts.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cuts a body off when it falls behind the slowest pace that we accept or takes too long in total, and gives
 * its place at the host back when it is closed. The JDK's own timeout ends with the header. Read by one thread; the watch runs on another and only reads
 * the counter and closes.
 */
final class PacedBody extends FilterInputStream {

    private final Runnable whenClosed;
    private final Duration grace;
    private final Duration longest;
    private final long startedAt = System.nanoTime();
    private final ScheduledFuture<?> watch;
    // Written by the reader only, seen by the watch.
    private final AtomicLong count = new AtomicLong();
    private volatile boolean cut;
    private boolean closed;

    /**
     * @param grace how long the body may be slower than the minimum
     * @param longest how long it may take at any pace
     */
    PacedBody(
            InputStream body, Duration grace, Duration longest, ScheduledExecutorService watches, Runnable whenClosed) {
        super(body);
        this.grace = grace;
        this.longest = longest;
        this.whenClosed = whenClosed;
        var period = Math.clamp(Math.min(grace.toMillis(), longest.toMillis()) / 4, 1, 10_000);
        this.watch = watches.scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
    }

    private void check() {
        var elapsed = System.nanoTime() - startedAt;
        var late = elapsed - grace.toNanos();
        var expected = late / 1_000_000_000.0 * HttpLimits.MINIMUM_BYTES_PER_SECOND;
        if (elapsed > longest.toNanos() || (late > 0 && count.get() <= expected)) {
            cut = true;
            watch.cancel(false);
            try {
                in.close();
            } catch (IOException e) {
                // The reader gets its own exception.
            }
        }
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read;
        try {
            read = in.read(buffer, offset, length);
        } catch (IOException e) {
            throw cut ? new CrawlingBodyException(count.get()) : e;
        }
        // A stream that is closed under its reader looks as if it had ended.
        if (cut) {
            throw new CrawlingBodyException(count.get());
        }
        if (read > 0) {
            count.addAndGet(read);
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        watch.cancel(false);
        try {
            super.close();
        } finally {
            whenClosed.run();
        }
    }
}
