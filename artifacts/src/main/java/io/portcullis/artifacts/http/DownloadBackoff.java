package io.portcullis.artifacts.http;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Computes the delay before attempt {@code n + 1}: exponential, with jitter so that replicas do not retry at the same
 * time.
 */
record DownloadBackoff(RandomGenerator random) {

    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration MAX_DELAY = Duration.ofSeconds(20);

    /** @param asked the delay that the server requests ({@code Retry-After}); capped at {@link #MAX_DELAY} */
    Duration after(int attempt, Duration asked) {
        var exponential = FIRST_DELAY.multipliedBy(1L << Math.min(attempt - 1, 10));
        var jittered = exponential.dividedBy(2).plusMillis(random.nextLong(exponential.toMillis() / 2 + 1));
        var wanted = jittered.compareTo(asked) < 0 ? asked : jittered;
        return wanted.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : wanted;
    }
}
