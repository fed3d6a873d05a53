package io.portcullis.audit.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Lists objects page by page. Each page is one request, unless its objects are so large that a smaller page must be
 * requested. Requests the next page after all objects of the current page are consumed.
 */
public final class Lister {

    /** Limit of restarts. If a list keeps expiring, the consumer is too slow. */
    private static final int MAX_RESTARTS = 10;

    /** Marks the first page; never a valid server token. */
    private static final String FIRST_PAGE = " ";

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
     * Lists objects. An expired list continues at the same position. If the API server offers no continue token, the
     * list restarts, and objects may occur twice.
     *
     * @param path may contain a query
     * @param remaining receives, after each page, the number of objects that still follow
     * @throws ApiException if a page cannot be read
     */
    public void list(String path, Consumer<ObjectNode> objects, LongConsumer remaining) {
        var query = path + (path.contains("?") ? "&" : "?") + "limit=";
        var size = PageSize.initial(pageSize);
        var next = FIRST_PAGE;
        var restarts = 0;
        do {
            try {
                var bytes = page(query, size, next);
                if (bytes.isEmpty()) {
                    size = size.afterOversizedPage();
                    continue;
                }
                size = size.after(bytes.get().length);
                var page = ObjectPage.read(bytes.get(), objects);
                remaining.accept(page.remaining());
                next = page.next();
            } catch (ApiException e) {
                if (!e.isExpired() || ++restarts > MAX_RESTARTS) {
                    throw e;
                }
                next = e.continueToken();
                if (next.isEmpty()) {
                    next = FIRST_PAGE;
                }
            }
        } while (!next.isEmpty());
    }

    /** Returns empty if the page is too large. */
    private Optional<byte[]> page(String query, PageSize size, String token) {
        calls.increment();
        var first = query + size.limit();
        var path = token.equals(FIRST_PAGE) ? first : first + "&continue=" + KubernetesApi.escape(token);
        var bytes = api.get(path, size.bytes());
        if (bytes.isEmpty() && size.limit() == 1) {
            throw new ApiException(200, "an object is larger than " + (size.bytes() >> 20) + " MiB", null);
        }
        return bytes;
    }

    /** Returns the number of requests so far. */
    public long calls() {
        return calls.sum();
    }
}
