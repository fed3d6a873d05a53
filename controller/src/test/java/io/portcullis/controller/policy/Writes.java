package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records the write requests of a controller matching policies, and simulates a crash after a number of writes. Events and
 * server summaries are not counted, because no decision depends on them.
 */
final class Writes implements Interceptor {

    private final List<Write> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger remaining = new AtomicInteger(Integer.MAX_VALUE);
    private final CountDownLatch paused = new CountDownLatch(1);
    private final CountDownLatch resumed = new CountDownLatch(1);
    private volatile String pausedPath = "";

    /** One write request. */
    record Write(String request, long atNanos) {}

    /** Simulates a process that died before this write. */
    static final class CrashException extends RuntimeException {

        CrashException() {
            super("crashed on purpose");
        }
    }

    @Override
    public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        var path = request.uri().getPath();
        boolean isIgnored = path.contains("/events") || path.contains("/policyservers/");
        if (request.method().equals("GET") || isIgnored) {
            return;
        }
        if (remaining.getAndDecrement() <= 0) {
            remaining.set(0);
            throw new CrashException();
        }
        if (!pausedPath.isEmpty() && path.contains(pausedPath)) {
            pause();
        }
        log.add(new Write(request.method() + " " + path, System.nanoTime()));
    }

    private void pause() {
        pausedPath = "";
        paused.countDown();
        try {
            resumed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CrashException();
        }
    }

    /** Blocks the next write to this path until {@link #resume}, as if the process were suspended. Works once. */
    void pauseBefore(String path) {
        pausedPath = path;
    }

    boolean isPaused() {
        return paused.getCount() == 0;
    }

    void resume() {
        resumed.countDown();
    }

    void crashAfter(int writes) {
        remaining.set(writes);
    }

    boolean hasCrashed() {
        return remaining.get() <= 0;
    }

    List<String> all() {
        return log.stream().map(Write::request).toList();
    }

    List<Write> matching(String name) {
        return log.stream().filter(write -> write.request().contains(name)).toList();
    }
}
