package io.portcullis.wasm;

import java.time.Duration;

/**
 * The time at which an evaluation must end, on the monotonic clock. One deadline covers instantiation, guest
 * code, host calls and sleeps.
 */
public record Deadline(long nanoTime) {

    /** Never passes. */
    public static final Deadline NONE = new Deadline(Long.MAX_VALUE);

    public static Deadline after(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    public boolean isNone() {
        return nanoTime == Long.MAX_VALUE;
    }

    /** Zero when passed. */
    public Duration remaining() {
        if (isNone()) {
            return Duration.ofNanos(Long.MAX_VALUE);
        }
        return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
    }

    public boolean hasPassed() {
        return !isNone() && nanoTime - System.nanoTime() <= 0;
    }

    /** The earlier of this and {@code duration} from now. */
    public Deadline atMost(Duration duration) {
        var other = after(duration);
        return isNone() || nanoTime - other.nanoTime > 0 ? other : this;
    }
}
