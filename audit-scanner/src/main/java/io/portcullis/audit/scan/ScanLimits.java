package io.portcullis.audit.scan;

/**
 * Limits on concurrency and on the number of reports.
 *
 * @param lists maximum number of concurrently read lists
 * @param objects maximum number of concurrently evaluated objects per list
 * @param policies maximum number of concurrent policies per object
 * @param reports maximum number of existing reports
 */
public record ScanLimits(int lists, int objects, int policies, long reports) {}
