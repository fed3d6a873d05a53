package io.portcullis.server.http;

import io.portcullis.process.http.ListenerLimits;

/**
 * Bounds what clients of the API port may hold.
 *
 * @param maxBodyBytes of one request
 * @param maxTotalBodyBytes of all requests at the same time
 */
public record ApiLimits(ListenerLimits clients, long maxBodyBytes, long maxTotalBodyBytes) {}
