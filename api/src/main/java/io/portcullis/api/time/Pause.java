package io.portcullis.api.time;

import java.time.Duration;
import java.time.Instant;

/**
 * A waiting time measured by the wall clock. The clock can be changed while a process waits. A change forward ends the pause
 * early. A change back to before the start also ends it; otherwise a pause of seconds could last for hours.
 *
 * @param from start of the pause, inclusive
 * @param until end of the pause, exclusive
 */
public record Pause(Instant from, Instant until) {

    public static Pause of(Instant now, Duration length) {
        return new Pause(now, now.plus(length));
    }

    public boolean isOver(Instant now) {
        return now.isBefore(from) || !now.isBefore(until);
    }
}
