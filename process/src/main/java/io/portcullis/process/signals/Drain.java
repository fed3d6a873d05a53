package io.portcullis.process.signals;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order in which a server leaves without losing a request: say not ready, go on serving while load balancers take
 * notice, stop accepting, let what is under way finish.
 *
 * @param lag how long to go on serving after readiness went away
 * @param limit how long to wait for what is under way
 */
public record Drain(Duration lag, Duration limit) {

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    /** What a server does at each step. */
    public interface Steps {
        void becomeUnready();

        void stopAccepting();

        /** Whether all work ended within the limit. */
        boolean awaitIdle(Duration limit) throws InterruptedException;
    }

    public void run(Steps steps) throws InterruptedException {
        log.atInfo().addKeyValue("lag_ms", lag.toMillis()).log("shutting down");
        steps.becomeUnready();
        Thread.sleep(lag);
        steps.stopAccepting();
        if (steps.awaitIdle(limit)) {
            log.atInfo().log("all requests finished");
        } else {
            log.atWarn().addKeyValue("limit_ms", limit.toMillis()).log("requests cut off by the drain limit");
        }
    }
}
