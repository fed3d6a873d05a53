package io.portcullis.audit.evaluation;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Waits before retries and counts them. */
public final class Retries {

    /** Waits for a duration; tests replace it to avoid waiting. */
    @FunctionalInterface
    public interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }

    private final EvaluationBackoff backoff;
    private final Pause pause;
    private final LongAdder count = new LongAdder();

    Retries(EvaluationBackoff backoff, Pause pause) {
        this.backoff = backoff;
        this.pause = pause;
    }

    /** @param first the delay before the first retry; each further delay is twice as long */
    public static Retries starting(Duration first) {
        return new Retries(
                new EvaluationBackoff(first, () -> ThreadLocalRandom.current().nextDouble()), Thread::sleep);
    }

    void pause(int retry) throws InterruptedException {
        count.increment();
        pause.sleep(backoff.before(retry));
    }

    /** Returns the number of retries so far. */
    public long count() {
        return count.sum();
    }
}
