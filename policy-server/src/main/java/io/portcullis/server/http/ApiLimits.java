package io.portcullis.server.http;

/** What the API port takes and offers. */
public record ApiLimits(long maxBodyBytes, boolean profiling) {}
