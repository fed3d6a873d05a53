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
 * Closes a body that falls below the minimum transfer rate or takes too long in total. Releases the permit for the
 * host when it is closed. The JDK's own timeout covers only the headers. One thread reads the body; a timer thread
 * only reads the counter and closes the body.
 */
final class PacedBody extends FilterInputStream {

    private final Runnable whenClosed;
    private final Duration grace;
    private final Duration maxDuration;
    private final long startedAt = System.nanoTime();
    private final ScheduledFuture<?> timer;
    // Written by the reader, read by the timer.
    private final AtomicLong count = new AtomicLong();
    private volatile boolean aborted;
    private boolean closed;

    /**
     * @param grace how long the body may stay below the minimum rate
     * @param maxDuration maximum total duration
     */
    PacedBody(
            InputStream body,
            Duration grace,
            Duration maxDuration,
            ScheduledExecutorService timers,
            Runnable whenClosed) {
        super(body);
        this.grace = grace;
        this.maxDuration = maxDuration;
        this.whenClosed = whenClosed;
        var period = Math.clamp(Math.min(grace.toMillis(), maxDuration.toMillis()) / 4, 1, 10_000);
        this.timer = timers.scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
    }

    private void check() {
        var elapsed = System.nanoTime() - startedAt;
        var late = elapsed - grace.toNanos();
        var expected = late / 1_000_000_000.0 * HttpLimits.MINIMUM_BYTES_PER_SECOND;
        if (elapsed > maxDuration.toNanos() || (late > 0 && count.get() <= expected)) {
            aborted = true;
            timer.cancel(false);
            try {
                in.close();
            } catch (IOException e) {
                // The reader receives its own exception.
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
            throw aborted ? new SlowBodyException(count.get()) : e;
        }
        // Reading from a closed stream may look like a normal end of the body.
        if (aborted) {
            throw new SlowBodyException(count.get());
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
        timer.cancel(false);
        try {
            super.close();
        } finally {
            whenClosed.run();
        }
    }
}
