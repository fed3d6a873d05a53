package io.portcullis.audit.cluster;

/**
 * How many objects to ask for at once, so that a page of large objects does not fill the memory.
 *
 * @param limit of the next request
 * @param most that are ever asked for
 */
record PageSize(int limit, int most) {

    /** A page is held as bytes while its objects are judged. Nobody reads a page to its end that is larger. */
    static final int MOST_BYTES = 8 << 20;

    /** Above it the next page may become too large. */
    static final int LARGE_BYTES = MOST_BYTES / 2;

    /** Below it the next page may well be twice as long. */
    static final int SMALL_BYTES = MOST_BYTES / 8;

    /** An object larger than a page should be is read all the same: the API server may be told to allow such. */
    static final int MOST_BYTES_OF_ONE = 4 * MOST_BYTES;

    static PageSize starting(int most) {
        return new PageSize(most, most);
    }

    /** How large the page may be. */
    int bytes() {
        return limit == 1 ? MOST_BYTES_OF_ONE : MOST_BYTES;
    }

    /** For the next page, after one of so many bytes. */
    PageSize after(int bytes) {
        if (bytes > LARGE_BYTES) {
            return with(limit / 2);
        }
        return bytes < SMALL_BYTES && limit < most ? with(limit * 2) : this;
    }

    /** For the same page, after it was too large. */
    PageSize afterTooMuch() {
        return with(limit / 4);
    }

    private PageSize with(int wanted) {
        return new PageSize(Math.clamp(wanted, 1, most), most);
    }
}
