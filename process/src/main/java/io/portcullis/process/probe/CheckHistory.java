package io.portcullis.process.probe;

import java.time.Duration;

/**
 * The results of past self-checks, and the rules that derive readiness and liveness from them. Immutable, without side effects.
 *
 * @param lastServing when a check last found that the listener serves, in nanoseconds
 * @param lastEnded when a check last ended, in nanoseconds
 * @param unreachable how many checks in a row could not reach the listener
 */
record CheckHistory(long lastServing, long lastEnded, int unreachable) {

    /**
     * How long a good result keeps the process ready. When a check hangs or does not run, the process becomes not ready. The time is long
     * enough for a process with little CPU: slow responses are better than none, and otherwise all slow replicas would become not ready.
     */
    static final Duration MAX_AGE = Duration.ofSeconds(30);

    /** After this many unreachable results in a row the process is not ready. */
    static final int MAX_UNREACHABLE_WHILE_READY = 3;

    /** After this many unreachable results in a row the process is not alive: only a restart helps. */
    static final int MAX_UNREACHABLE = 6;

    /** After this time without any result the checks themselves hang, and the process is not alive. */
    static final Duration MAX_SILENCE = Duration.ofMinutes(1);

    /** The result of one check. */
    enum Result {
        SERVING,
        /** The listener answers, but the work behind it does not. */
        NOT_SERVING,
        /** The listener does not answer. */
        UNREACHABLE
    }

    /** Returns the state before the first check: not ready, but alive. */
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
