package io.portcullis.audit.report;

/** Where reports go. */
public interface Reports {

    /** Nowhere. */
    Reports NOWHERE = _ -> Stored.NOT_WANTED;

    /** What became of a report. */
    enum Stored {
        CREATED,
        UPDATED,
        /** The one that was there says the same. */
        UNCHANGED,
        /** There are as many reports as there may be. */
        REFUSED,
        /** The object's namespace vanished meanwhile. */
        GONE,
        NOT_WANTED
    }

    /** @throws io.portcullis.audit.cluster.ApiException when it cannot be written */
    Stored put(Report report);
}
