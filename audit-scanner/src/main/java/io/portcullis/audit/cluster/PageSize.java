package io.portcullis.audit.cluster;

/** How many objects to ask for at once, so that a page of large objects does not fill the memory. */
record PageSize(int limit) {

    /** A page is held as bytes while its objects are judged. */
    static final int LARGE_BYTES = 8 << 20;

    /** For the next page, after one of so many bytes. */
    PageSize after(int bytes) {
        return bytes > LARGE_BYTES && limit > 1 ? new PageSize(Math.max(1, limit / 2)) : this;
    }
}
