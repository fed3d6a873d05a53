package io.portcullis.process.signals;

import io.portcullis.process.cli.ExitCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and SIGINT as an orderly end with exit code 0: the first signal asks, a second ends the process at once. Before
 * somebody waits for signals there is nothing to put in order: a program that is still starting, perhaps waiting for
 * somebody who never answers, ends with the first.
 *
 * <p>The JVM turns the first signal into shutdown hooks. Ours tells the main thread, gives the next signal back to the
 * operating system, and keeps the JVM alive until the main thread has closed this.
 */
public final class Signals implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isAwaited;
    private volatile Duration limit = Duration.ofSeconds(60);
    private final Thread hook = Thread.ofPlatform().name("signals").unstarted(this::leave);

    private Signals() {}

    public static Signals install() {
        var signals = new Signals();
        Runtime.getRuntime().addShutdownHook(signals.hook);
        return signals;
    }

    /** Bounds the time from a signal to the end of the process: then it ends, whatever still runs. */
    public void endWithin(Duration time) {
        limit = time;
    }

    /** Returns when somebody asked the process to end. */
    public void await() throws InterruptedException {
        awaitOr(new CompletableFuture<>());
    }

    /** Returns when somebody asked the process to end, or when {@code other} happened, well or badly. */
    public void awaitOr(CompletableFuture<?> other) throws InterruptedException {
        isAwaited = true;
        try {
            CompletableFuture.anyOf(asked, other).get();
        } catch (ExecutionException e) {
            // Whoever waits looks at it.
        }
    }

    public boolean isAsked() {
        return asked.isDone();
    }

    private void leave() {
        asked.complete(null);
        DefaultAction.restore();
        try {
            if (isAwaited && !ended.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                log.atWarn()
                        .addKeyValue("limit_ms", limit.toMillis())
                        .log("the process ends although work is left: the drain time is over");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(ExitCode.OK.code());
    }

    /** After a signal: the process ends now. Before one: signals are the JVM's again. */
    @Override
    public void close() {
        ended.countDown();
        if (!asked.isDone()) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
