package io.portcullis.server.http;

import io.portcullis.process.http.ListenerLimits;

/**
 * The limits for clients of the API port.
 *
 * @param maxBodyBytes the limit for the body of one request
 * @param maxTotalBodyBytes the limit for the bodies of all concurrent requests
 */
public record ApiLimits(ListenerLimits clients, long maxBodyBytes, long maxTotalBodyBytes) {}
