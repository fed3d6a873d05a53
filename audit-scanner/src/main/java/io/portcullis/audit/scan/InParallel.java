package io.portcullis.audit.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Applies a function to many inputs with limited concurrency, and waits for all results. */
record InParallel(int maxConcurrent) {

    @FunctionalInterface
    interface Work<A, B> {
        B apply(A input) throws InterruptedException;
    }

    /** Returns the results in the order of the inputs. */
    <A, B> List<B> map(List<A> inputs, Work<A, B> work) throws InterruptedException {
        var slots = new Semaphore(maxConcurrent);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<Future<B>>();
            for (var input : inputs) {
                futures.add(threads.submit(() -> {
                    slots.acquire();
                    try {
                        return work.apply(input);
                    } finally {
                        slots.release();
                    }
                }));
            }
            var outputs = new ArrayList<B>();
            for (var future : futures) {
                outputs.add(future.get());
            }
            return outputs;
        } catch (ExecutionException e) {
            throw new IllegalStateException("an audit step failed: " + e.getCause(), e.getCause());
        }
    }
}
