package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what a controller writes about policies, and ends it after so many writes as a crash would. Events and summaries
 * are asides: nothing is decided by them.
 */
final class Writes implements Interceptor {

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

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
        log.add(request.method() + " " + path);
    }

    void crashAfter(int writes) {
        left.set(writes);
    }

    boolean hasCrashed() {
        return left.get() <= 0;
    }

    List<String> all() {
        return List.copyOf(log);
    }
}
