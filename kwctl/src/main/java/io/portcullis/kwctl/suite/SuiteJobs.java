package io.portcullis.kwctl.suite;

import io.portcullis.kwctl.cli.CommandException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Runs several suites in parallel. Each suite uses its own runner, because a runner is not thread-safe. Later runs reuse
 * the runners.
 */
public final class SuiteJobs implements AutoCloseable {

    private final Supplier<SuiteRunner> make;
    private final ExecutorService threads;
    private final Deque<SuiteRunner> idle = new ConcurrentLinkedDeque<>();

    /** @param atOnce the maximum number of parallel suites, and of runners */
    public SuiteJobs(int atOnce, Supplier<SuiteRunner> make) {
        this.make = make;
        this.threads = Executors.newFixedThreadPool(
                atOnce, Thread.ofPlatform().name("suite-", 0).daemon().factory());
    }

    /** Runs the suites. Returns the results in the order of the suites, not of completion. */
    public List<CaseResult> run(List<TestSuite> suites) {
        var running = new ArrayList<Future<List<CaseResult>>>();
        for (var suite : suites) {
            running.add(threads.submit(() -> run(suite)));
        }
        var results = new ArrayList<CaseResult>();
        for (var suite : running) {
            results.addAll(await(suite));
        }
        return results;
    }

    private List<CaseResult> run(TestSuite suite) {
        var free = idle.poll();
        var runner = free == null ? make.get() : free;
        try {
            return runner.run(suite);
        } finally {
            idle.push(runner);
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException("a test suite could not be run", e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted");
        }
    }

    @Override
    public void close() {
        threads.close();
        idle.forEach(SuiteRunner::close);
    }
}
