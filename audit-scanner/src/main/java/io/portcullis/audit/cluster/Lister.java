package io.portcullis.audit.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Lists objects page by page. Each page is one request; the next is asked for when the objects of the last are taken. */
public final class Lister {

    /** A list that keeps expiring is read by somebody too slow for it. */
    private static final int RESTARTS = 10;

    /** No token that a server would give. */
    private static final String BEGINNING = " ";

    private final ApiServer api;
    private final int pageSize;
    private final LongAdder calls = new LongAdder();

    public Lister(ApiServer api, int pageSize) {
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
        var size = new PageSize(pageSize);
        var next = BEGINNING;
        var restarts = 0;
        do {
            try {
                var bytes = page(query + size.limit(), next);
                size = size.after(bytes.length);
                var page = ObjectPage.read(bytes, objects);
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

    private byte[] page(String query, String token) {
        calls.increment();
        return api.get(token.equals(BEGINNING) ? query : query + "&continue=" + ApiServer.escape(token));
    }

    /** Requests made so far. */
    public long calls() {
        return calls.sum();
    }
}
