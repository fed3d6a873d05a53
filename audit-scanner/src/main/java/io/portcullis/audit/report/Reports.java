package io.portcullis.audit.report;

/** Destination of reports. */
public interface Reports {

    /** Discards all reports. */
    Reports DISCARD = _ -> Stored.NOT_WANTED;

    /** Outcome of storing a report. */
    enum Stored {
        CREATED,
        UPDATED,
        /** The existing report has the same content. */
        UNCHANGED,
        /** The maximum number of reports is reached. */
        REFUSED,
        /** The namespace of the object was deleted during the run. */
        GONE,
        NOT_WANTED
    }

    /** @throws io.portcullis.audit.cluster.ApiException if the report cannot be written */
    Stored put(Report report);
}
