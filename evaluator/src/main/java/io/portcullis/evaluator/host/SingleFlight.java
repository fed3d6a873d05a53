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
 * Runs slow work on virtual threads while guests wait no longer than their deadline. Requests with equal keys share one
 * run. The run continues when a waiter gives up, so that the next request finds the result.
 */
final class SingleFlight<K> {

    /** The maximum duration of a host call, whatever the policy's deadline is. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private final ConcurrentHashMap<K, FutureTask<HostResult>> running = new ConcurrentHashMap<>();

    HostResult join(K key, Deadline deadline, Function<Deadline, HostResult> work) {
        var ownTask = task(limit -> {
            try {
                return work.apply(limit);
            } finally {
                // Remove the key before the result is published: a later request must start a new run.
                running.remove(key);
            }
        });
        var sharedTask = running.putIfAbsent(key, ownTask);
        if (sharedTask != null) {
            return await(sharedTask, deadline);
        }
        Thread.ofVirtual().start(ownTask);
        return await(ownTask, deadline);
    }

    HostResult alone(Deadline deadline, Function<Deadline, HostResult> work) {
        var ownTask = task(work);
        var thread = Thread.ofVirtual().start(ownTask);
        var result = await(ownTask, deadline);
        if (!ownTask.isDone()) {
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
