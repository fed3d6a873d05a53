package io.portcullis.kwctl.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Renders an age in the coarsest useful unit: {@code 45s}, {@code 12m}, {@code 7h}, {@code 30d}. */
final class Age {

    private Age() {}

    /** Returns the age. It is zero when the local clock is behind the cluster's clock. */
    static String of(Optional<Instant> then, Instant now) {
        return then.map(instant -> of(Duration.between(instant, now))).orElse("");
    }

    private static String of(Duration age) {
        if (age.toDays() >= 2) {
            return age.toDays() + "d";
        }
        if (age.toHours() >= 2) {
            return age.toHours() + "h";
        }
        return age.toMinutes() >= 2 ? age.toMinutes() + "m" : Math.max(0, age.toSeconds()) + "s";
    }
}
