package io.portcullis.server.cluster.loop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that owns all state of a replica. Other threads post messages to it. After every batch of messages the loop
 * runs one reconcile pass. Messages and passes must not block.
 */
public final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    /** No message announces that a retry is due, so the loop reconciles at least this often. */
    private static final Duration TICK = Duration.ofMillis(500);

    private static final Duration MAX_PAUSE = Duration.ofMillis(100);

    private final LinkedBlockingQueue<Runnable> messages = new LinkedBlockingQueue<>();
    private final Thread thread;
    private final Runnable reconcile;
    private final Consumer<Throwable> onFatalError;

    /**
     * @param reconcile one reconcile pass
     * @param onFatalError receives the error after which the process must exit
     */
    public Loop(String name, Runnable reconcile, Consumer<Throwable> onFatalError) {
        this.reconcile = reconcile;
        this.onFatalError = onFatalError;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Queues a message that the loop runs before its next pass. Other threads report an unexpected error by a message that
     * throws it.
     */
    public void post(Runnable message) {
        messages.add(message);
    }

    /** Requests a reconcile pass, because something may have changed. */
    public void wake() {
        post(() -> {});
    }

    private void run() {
        var batch = new ArrayList<Runnable>();
        try {
            while (true) {
                var first = messages.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                }
                messages.drainTo(batch);
                batch.forEach(Loop::attempt);
                batch.clear();
                var start = System.nanoTime();
                attempt(reconcile);
                TimeUnit.NANOSECONDS.sleep(pauseAfter(System.nanoTime() - start));
            }
        } catch (InterruptedException e) {
            log.atDebug().log("loop ended");
        } catch (InternalError | UnknownError e) {
            log.atError().setCause(e).log("the JVM is broken, exiting");
            onFatalError.accept(e);
        }
    }

    /** Returns the pause after a pass. It batches bursts of changes, and leaves CPU time to the workers. */
    private static long pauseAfter(long passNanos) {
        return Math.min(passNanos * 3, MAX_PAUSE.toNanos());
    }

    /**
     * Runs an action, and logs every error except those of a broken JVM. After a StackOverflowError the stack is unwound. An
     * OutOfMemoryError that reaches this code is about native memory, because one about the heap ends the process.
     */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (InternalError | UnknownError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            log.atError().setCause(e).log("unexpected error in the replica loop, continuing");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
