package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what a controller writes about policies, and ends it after so many writes as a crash would. Events and summaries
 * are asides: nothing is decided by them.
 */
final class Writes implements Interceptor {

    private final List<Write> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch woken = new CountDownLatch(1);
    private volatile String tiring = "";

    /** One of them. */
    record Write(String what, long atNanos) {}

    /** The process died before this write. */
    static final class CrashException extends RuntimeException {

        CrashException() {
            super("crashed on purpose");
        }
    }

    @Override
    public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        var path = request.uri().getPath();
        boolean isAside = path.contains("/events") || path.contains("/policyservers/");
        if (request.method().equals("GET") || isAside) {
            return;
        }
        if (left.getAndDecrement() <= 0) {
            left.set(0);
            throw new CrashException();
        }
        if (!tiring.isEmpty() && path.contains(tiring)) {
            sleep();
        }
        log.add(new Write(request.method() + " " + path, System.nanoTime()));
    }

    private void sleep() {
        tiring = "";
        asleep.countDown();
        try {
            woken.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CrashException();
        }
    }

    /** The next write there is not made before {@link #wake}, as if the process were paused in front of it; once. */
    void fallAsleepBefore(String path) {
        tiring = path;
    }

    boolean isAsleep() {
        return asleep.getCount() == 0;
    }

    void wake() {
        woken.countDown();
    }

    void crashAfter(int writes) {
        left.set(writes);
    }

    boolean hasCrashed() {
        return left.get() <= 0;
    }

    List<String> all() {
        return log.stream().map(Write::what).toList();
    }

    List<Write> about(String name) {
        return log.stream().filter(write -> write.what().contains(name)).toList();
    }
}
