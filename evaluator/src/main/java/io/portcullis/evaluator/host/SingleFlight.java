package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Runs slow work on virtual threads while guests wait no longer than their deadline. Equal keys share one run, which
 * goes on when a waiter gives up, so that the next one finds its result.
 */
final class SingleFlight<K> {

    /** No host call takes longer, whatever the policy's deadline says. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private final ConcurrentHashMap<K, FutureTask<HostResult>> running = new ConcurrentHashMap<>();

    HostResult join(K key, Deadline deadline, Function<Deadline, HostResult> work) {
        var mine = task(limit -> {
            try {
                return work.apply(limit);
            } finally {
                // Before the result is published: whoever comes after it must not meet this flight again.
                running.remove(key);
            }
        });
        var others = running.putIfAbsent(key, mine);
        if (others != null) {
            return await(others, deadline);
        }
        Thread.ofVirtual().start(mine);
        return await(mine, deadline);
    }

    HostResult alone(Deadline deadline, Function<Deadline, HostResult> work) {
        var mine = task(work);
        var thread = Thread.ofVirtual().start(mine);
        var result = await(mine, deadline);
        if (!mine.isDone()) {
            thread.interrupt();
        }
        return result;
    }

    private static FutureTask<HostResult> task(Function<Deadline, HostResult> work) {
        return new FutureTask<>(() -> work.apply(Deadline.after(LIMIT)));
    }

    private static HostResult await(FutureTask<HostResult> task, Deadline deadline) {
        var remaining = deadline.atMost(LIMIT).remaining();
        try {
            return task.get(remaining.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return new HostResult.Failure("host call timed out after " + remaining.toMillis() + " ms");
        } catch (ExecutionException e) {
            return new HostResult.Failure(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new HostResult.Failure("host call interrupted");
        }
    }
}
