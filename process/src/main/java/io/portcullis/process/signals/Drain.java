package io.portcullis.process.signals;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The drain sequence of a server, which loses no request: report not ready, keep serving while load balancers update, stop
 * accepting, let running requests finish. Requests that still arrive show that a load balancer is slow. The server then keeps
 * serving until no request has arrived for the whole lag, at most {@link #LAGS} times the lag.
 *
 * @param lag how long to keep serving after the server reports not ready
 * @param limit how long to wait for running requests
 */
public record Drain(Duration lag, Duration limit) {

    /** The time for closing files and connections after the limit. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    /** The maximum time of serving, in multiples of the lag. */
    private static final int LAGS = 4;

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    /** The steps that a server implements. */
    public interface Steps {
        void becomeUnready();

        /** Returns the time since the last request. */
        Duration sinceLastRequest();

        /** Stops within the limit, even when requests are running. */
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
     * Returns how much longer to serve; zero or less means stop.
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
