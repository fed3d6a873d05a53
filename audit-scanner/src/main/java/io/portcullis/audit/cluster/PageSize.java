package io.portcullis.audit.cluster;

/**
 * Number of objects per request, adapted so that a page of large objects does not exhaust memory.
 *
 * @param limit of the next request
 * @param maxLimit upper bound of the limit
 */
record PageSize(int limit, int maxLimit) {

    /**
     * Limit of a page. A page stays in memory as bytes while its objects are evaluated. Larger pages are not read to
     * their end.
     */
    static final int MAX_PAGE_BYTES = 8 << 20;

    /** Above this size, the next page may become too large. */
    static final int LARGE_BYTES = MAX_PAGE_BYTES / 2;

    /** Below this size, the next page may have twice as many objects. */
    static final int SMALL_BYTES = MAX_PAGE_BYTES / 8;

    /**
     * Limit for a page of one object. It is higher than the page limit, because an API server may be configured to
     * accept such objects.
     */
    static final int MAX_OBJECT_BYTES = 4 * MAX_PAGE_BYTES;

    static PageSize initial(int maxLimit) {
        return new PageSize(maxLimit, maxLimit);
    }

    /** Returns the byte limit of the page. */
    int bytes() {
        return limit == 1 ? MAX_OBJECT_BYTES : MAX_PAGE_BYTES;
    }

    /** Returns the size for the next page, after a page of this many bytes. */
    PageSize after(int bytes) {
        if (bytes > LARGE_BYTES) {
            return with(limit / 2);
        }
        return bytes < SMALL_BYTES && limit < maxLimit ? with(limit * 2) : this;
    }

    /** Returns the size for retrying a page that was too large. */
    PageSize afterOversizedPage() {
        return with(limit / 4);
    }

    private PageSize with(int wanted) {
        return new PageSize(Math.clamp(wanted, 1, maxLimit), maxLimit);
    }
}
