package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * Counts what a controller writes about policies, and ends it after so many writes as a crash would. Events and summaries
 * are asides: nothing is decided by them.
 */
final class Writes implements Interceptor {

    private final List<Write> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicReference<Meanwhile> meanwhile = new AtomicReference<>(new Meanwhile(_ -> false, () -> {}));

    /** One of them. */
    record Write(String what, long atNanos) {}

    private record Meanwhile(Predicate<String> write, Runnable what) {}

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
        var due = meanwhile.get();
        if (due.write().test(path) && meanwhile.compareAndSet(due, new Meanwhile(_ -> false, () -> {}))) {
            due.what().run();
        }
        log.add(new Write(request.method() + " " + path, System.nanoTime()));
    }

    /** Does something else, once, between a decision and the write to a path with this end. */
    void meanwhile(String path, Runnable what) {
        meanwhile.set(new Meanwhile(written -> written.endsWith(path), what));
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
