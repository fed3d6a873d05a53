package io.portcullis.api.lifecycle;

import java.time.Duration;
import java.time.Instant;

/**
 * A time to wait, by the wall clock. A wall clock can be set while a process waits: set forward it ends the pause early, and
 * set back to before the pause it ends the pause too. Otherwise a pause of seconds could last for hours.
 *
 * @param from the moment at which the pause began
 * @param until the first moment after it
 */
public record Pause(Instant from, Instant until) {

    public static Pause of(Instant now, Duration length) {
        return new Pause(now, now.plus(length));
    }

    public boolean isOver(Instant now) {
        return now.isBefore(from) || !now.isBefore(until);
    }
}
