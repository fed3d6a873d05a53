package io.portcullis.audit.scan;

/**
 * How much happens at once, and how much is written.
 *
 * @param lists that are read at the same time
 * @param objects of each list that are judged at the same time
 * @param policies that judge an object at the same time
 * @param reports that may exist
 */
public record ScanLimits(int lists, int objects, int policies, long reports) {}
