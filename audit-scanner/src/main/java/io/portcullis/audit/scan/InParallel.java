package io.portcullis.audit.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Does the same to many things, so many at once, and waits for all. */
record InParallel(int atOnce) {

    @FunctionalInterface
    interface Work<A, B> {
        B apply(A input) throws InterruptedException;
    }

    /** In the order of the inputs. */
    <A, B> List<B> map(List<A> inputs, Work<A, B> work) throws InterruptedException {
        var slots = new Semaphore(atOnce);
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
