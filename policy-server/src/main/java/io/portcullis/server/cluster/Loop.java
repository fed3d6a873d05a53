package io.portcullis.server.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that owns all state of a replica: what others found out is posted to it, and after every batch of messages it
 * looks once at what they changed. Nothing it does may block.
 */
public final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    /** Retries become due without anybody saying so. */
    private static final Duration TICK = Duration.ofMillis(500);

    private static final Duration LONGEST_REST = Duration.ofMillis(100);

    private final LinkedBlockingQueue<Runnable> messages = new LinkedBlockingQueue<>();
    private final Thread thread;
    private final Runnable look;
    private final Consumer<Throwable> end;

    /** @param end told why the process must end */
    public Loop(String name, Runnable look, Consumer<Throwable> end) {
        this.look = look;
        this.end = end;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Runs on the loop's thread, before its next look. One that throws tells of a fault elsewhere that nobody expected. */
    public void post(Runnable message) {
        messages.add(message);
    }

    /** Something may have changed. */
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
                attempt(look);
                TimeUnit.NANOSECONDS.sleep(rest(System.nanoTime() - start));
            }
        } catch (InterruptedException e) {
            log.atDebug().log("loop ended");
        } catch (InternalError | UnknownError e) {
            log.atError().setCause(e).log("the virtual machine is broken, ending");
            end.accept(e);
        }
    }

    /** So that many changes at once are looked at together, and looking leaves the machine to those who work. */
    private static long rest(long lookTook) {
        return Math.min(lookTook * 3, LONGEST_REST.toNanos());
    }

    /**
     * Goes on after anything but a broken virtual machine. A stack that overflowed is unwound, and an OutOfMemoryError that
     * anybody sees is about native memory: one about the heap has ended the process.
     */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (InternalError | UnknownError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            log.atError().setCause(e).log("the replica stumbled and goes on");
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
