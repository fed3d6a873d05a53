package io.portcullis.audit.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Lists objects page by page. Each page is one request, unless its objects are so large that fewer of them must be asked
 * for; the next is asked for when the objects of the last are taken.
 */
public final class Lister {

    /** A list that keeps expiring is read by somebody too slow for it. */
    private static final int RESTARTS = 10;

    /** No token that a server would give. */
    private static final String BEGINNING = " ";

    private final KubernetesApi api;
    private final int pageSize;
    private final LongAdder calls = new LongAdder();

    public Lister(KubernetesApi api, int pageSize) {
        this.api = api;
        this.pageSize = pageSize;
    }

    public void list(String path, Consumer<ObjectNode> objects) {
        list(path, objects, _ -> {});
    }

    /**
     * A list that expires meanwhile goes on where it was, or, if the API server offers no way, begins again; then objects
     * may come twice.
     *
     * @param path may hold a query
     * @param remaining hears after each page how many objects are known to follow
     * @throws ApiException when a page cannot be had
     */
    public void list(String path, Consumer<ObjectNode> objects, LongConsumer remaining) {
        var query = path + (path.contains("?") ? "&" : "?") + "limit=";
        var size = PageSize.starting(pageSize);
        var next = BEGINNING;
        var restarts = 0;
        do {
            try {
                var bytes = page(query, size, next);
                if (bytes.isEmpty()) {
                    size = size.afterTooMuch();
                    continue;
                }
                size = size.after(bytes.get().length);
                var page = ObjectPage.read(bytes.get(), objects);
                remaining.accept(page.remaining());
                next = page.next();
            } catch (ApiException e) {
                if (!e.isExpired() || ++restarts > RESTARTS) {
                    throw e;
                }
                next = e.resumption();
                if (next.isEmpty()) {
                    next = BEGINNING;
                }
            }
        } while (!next.isEmpty());
    }

    /** Empty when it is too large. */
    private Optional<byte[]> page(String query, PageSize size, String token) {
        calls.increment();
        var first = query + size.limit();
        var path = token.equals(BEGINNING) ? first : first + "&continue=" + KubernetesApi.escape(token);
        var bytes = api.get(path, size.bytes());
        if (bytes.isEmpty() && size.limit() == 1) {
            throw new ApiException(200, "an object is larger than " + (size.bytes() >> 20) + " MiB", null);
        }
        return bytes;
    }

    /** Requests made so far. */
    public long calls() {
        return calls.sum();
    }
}
