package io.portcullis.process.signals;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order in which a server ends without losing a request: report not ready, go on serving while load balancers take
 * notice, stop accepting, let what is under way finish.
 *
 * @param lag how long to go on serving after readiness went away
 * @param limit how long to wait for what is under way
 */
public record Drain(Duration lag, Duration limit) {

    /** What is left for closing files and connections after the limit. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    /** What a server does at each step. */
    public interface Steps {
        void becomeUnready();

        /** Stops within the limit, whatever is under way. */
        void stopAccepting(Duration limit);

        /** Whether all work ended within the limit. */
        boolean awaitIdle(Duration limit) throws InterruptedException;
    }

    /** The longest time from the signal to the end of the process, for {@link Signals#endWithin}. */
    public Duration total() {
        return lag.plus(limit).plus(CLOSING);
    }

    public void run(Steps steps) throws InterruptedException {
        log.atInfo().addKeyValue("lag_ms", lag.toMillis()).log("shutting down");
        steps.becomeUnready();
        Thread.sleep(lag);
        var begin = System.nanoTime();
        steps.stopAccepting(limit);
        var left = limit.minusNanos(System.nanoTime() - begin);
        if (steps.awaitIdle(left.isNegative() ? Duration.ZERO : left)) {
            log.atInfo().log("all requests finished");
        } else {
            log.atWarn().addKeyValue("limit_ms", limit.toMillis()).log("requests cut off by the drain limit");
        }
    }
}
