package io.portcullis.process.signals;

import java.time.Duration;

/** When the last request came, for {@link Drain}. */
public final class LastRequest {

    private volatile long nanos = System.nanoTime();

    /** A request has come. */
    public void record() {
        nanos = System.nanoTime();
    }

    /** How long ago the last request came; without one, the age of this object. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
