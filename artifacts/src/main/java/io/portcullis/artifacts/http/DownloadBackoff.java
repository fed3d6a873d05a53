package io.portcullis.artifacts.http;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long to wait before attempt {@code n + 1}: doubling, with jitter so that replicas do not come back in step. */
record DownloadBackoff(RandomGenerator random) {

    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    /** @param asked what the server wants ({@code Retry-After}), at most as long as we are willing to wait */
    Duration after(int attempt, Duration asked) {
        var exponential = FIRST.multipliedBy(1L << Math.min(attempt - 1, 10));
        var jittered = exponential.dividedBy(2).plusMillis(random.nextLong(exponential.toMillis() / 2 + 1));
        var wanted = jittered.compareTo(asked) < 0 ? asked : jittered;
        return wanted.compareTo(LONGEST) > 0 ? LONGEST : wanted;
    }
}
