package io.portcullis.process.probe;

import java.time.Duration;

/**
 * What the checks of a listener have found so far, and what follows for the probes. Pure.
 *
 * @param lastServing when a check last found that the listener serves, in nanoseconds
 * @param lastEnded when a check last came to a result, in nanoseconds
 * @param unreachable how many checks in a row could not reach the listener
 */
record CheckHistory(long lastServing, long lastEnded, int unreachable) {

    /**
     * So long a result counts: a check that hangs, or none at all, means not ready. Long enough for a process that gets little CPU: slow
     * answers are better than none, and where all replicas are slow, none would be left.
     */
    static final Duration MAX_AGE = Duration.ofSeconds(30);

    /** After so many checks in a row that did not reach the listener, no client reaches it. */
    static final int MAX_UNREACHABLE_WHILE_READY = 3;

    /** After so many checks in a row that did not reach the listener, only a restart helps. */
    static final int MAX_UNREACHABLE = 6;

    /** After so long without any result the checks themselves hang. */
    static final Duration MAX_SILENCE = Duration.ofMinutes(1);

    /** What a check finds. */
    enum Result {
        SERVING,
        /** The listener answers, but the work behind it does not. */
        NOT_SERVING,
        /** The listener does not answer. */
        UNREACHABLE
    }

    /** Before the first check: not ready, but alive. */
    static CheckHistory start(long now) {
        return new CheckHistory(now - MAX_AGE.toNanos() - 1, now, 0);
    }

    CheckHistory with(Result result, long now) {
        return switch (result) {
            case SERVING -> new CheckHistory(now, now, 0);
            case NOT_SERVING -> new CheckHistory(lastServing, now, 0);
            case UNREACHABLE -> new CheckHistory(lastServing, now, unreachable + 1);
        };
    }

    boolean isReady(long now) {
        return unreachable < MAX_UNREACHABLE_WHILE_READY && now - lastServing <= MAX_AGE.toNanos();
    }

    boolean isAlive(long now) {
        return unreachable < MAX_UNREACHABLE && now - lastEnded <= MAX_SILENCE.toNanos();
    }
}
