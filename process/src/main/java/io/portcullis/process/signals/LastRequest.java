package io.portcullis.process.signals;

import java.time.Duration;

/** Records the time of the last request, for {@link Drain}. */
public final class LastRequest {

    private volatile long nanos = System.nanoTime();

    /** Records a request. */
    public void record() {
        nanos = System.nanoTime();
    }

    /** Returns the time since the last request; without one, the age of this object. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
