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
 * Turns SIGTERM and SIGINT into an orderly shutdown with exit code 0. The first signal requests the shutdown; a second one
 * ends the process at once. Before {@link #await} is called, the first signal already ends the process: a program that is
 * still starting has nothing to drain, and may wait for a peer that never responds.
 *
 * <p>The JVM runs shutdown hooks on the first signal. Our hook notifies the main thread, restores the default action for
 * the next signal, and keeps the JVM alive until the main thread has closed this object.
 */
public final class Signals implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isAwaited;
    private volatile Duration limit = Duration.ofSeconds(60);
    private final Thread hook = Thread.ofPlatform().name("signals").unstarted(this::shutDown);

    private Signals() {}

    public static Signals install() {
        var signals = new Signals();
        Runtime.getRuntime().addShutdownHook(signals.hook);
        return signals;
    }

    /** Bounds the time from a signal to the end of the process. After it the process ends, even when work is running. */
    public void endWithin(Duration time) {
        limit = time;
    }

    /** Blocks until a signal requests the shutdown. */
    public void await() throws InterruptedException {
        awaitOr(new CompletableFuture<>());
    }

    /** Blocks until a signal requests the shutdown, or until {@code other} completes, normally or exceptionally. */
    public void awaitOr(CompletableFuture<?> other) throws InterruptedException {
        isAwaited = true;
        try {
            CompletableFuture.anyOf(asked, other).get();
        } catch (ExecutionException e) {
            // The caller inspects the future itself.
        }
    }

    public boolean isAsked() {
        return asked.isDone();
    }

    private void shutDown() {
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

    /** After a signal, ends the process. Before a signal, removes the shutdown hook. */
    @Override
    public void close() {
        ended.countDown();
        if (!asked.isDone()) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
