package io.portcullis.process.signals;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order in which a server ends without losing a request: report not ready, go on serving while load balancers take
 * notice, stop accepting, let what is under way finish. Requests that still come show that a load balancer is slow: the server
 * then goes on serving until none has come for the whole lag, at most {@link #LAGS} times the lag.
 *
 * @param lag how long to go on serving after readiness went away
 * @param limit how long to wait for what is under way
 */
public record Drain(Duration lag, Duration limit) {

    /** What is left for closing files and connections after the limit. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    /** How many lags a server goes on serving at most. */
    private static final int LAGS = 4;

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    /** What a server does at each step. */
    public interface Steps {
        void becomeUnready();

        /** How long ago the last request came. */
        Duration sinceLastRequest();

        /** Stops within the limit, whatever is under way. */
        void stopAccepting(Duration limit);

        /** Whether all work ended within the limit. */
        boolean awaitIdle(Duration limit) throws InterruptedException;
    }

    /** The longest time from the signal to the end of the process, for {@link Signals#endWithin}. */
    public Duration total() {
        return lag.multipliedBy(LAGS).plus(limit).plus(CLOSING);
    }

    public void run(Steps steps) throws InterruptedException {
        log.atInfo().addKeyValue("lag_ms", lag.toMillis()).log("shutting down");
        steps.becomeUnready();
        serveWhileRequestsCome(steps);
        var begin = System.nanoTime();
        steps.stopAccepting(limit);
        var left = limit.minusNanos(System.nanoTime() - begin);
        if (steps.awaitIdle(left.isNegative() ? Duration.ZERO : left)) {
            log.atInfo().log("all requests finished");
        } else {
            log.atWarn().addKeyValue("limit_ms", limit.toMillis()).log("requests cut off by the drain limit");
        }
    }

    private void serveWhileRequestsCome(Steps steps) throws InterruptedException {
        var begin = System.nanoTime();
        var pause = lag;
        while (pause.isPositive()) {
            Thread.sleep(pause);
            pause = pauseAfter(Duration.ofNanos(System.nanoTime() - begin), steps.sinceLastRequest());
        }
    }

    /**
     * How much longer to serve; zero or less to stop.
     *
     * @param served since the server became unready
     * @param quiet since the last request
     */
    Duration pauseAfter(Duration served, Duration quiet) {
        var untilQuiet = lag.minus(quiet);
        var untilEnd = lag.multipliedBy(LAGS).minus(served);
        return untilQuiet.compareTo(untilEnd) < 0 ? untilQuiet : untilEnd;
    }
}
