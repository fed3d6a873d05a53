package io.portcullis.artifacts.http;

import java.time.Duration;

/**
 * Limits on the time and the number of attempts of HTTP requests.
 *
 * @param attempts per request, including the first
 * @param connect timeout for establishing the connection
 * @param response timeout for the response headers
 * @param body grace period for slow bodies; after it, the average must reach {@link #MINIMUM_BYTES_PER_SECOND}
 * @param requestsPerHost maximum number of concurrent requests
 * @param total timeout for one request with all its attempts, redirects and its body
 */
public record HttpLimits(
        int attempts, Duration connect, Duration response, Duration body, int requestsPerHost, Duration total) {

    public static final HttpLimits DEFAULT = new HttpLimits(
            4, Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(30), 4, Duration.ofMinutes(5));

    /** Minimum transfer rate. A slower server would block a thread and a connection. */
    static final long MINIMUM_BYTES_PER_SECOND = 1024;

    static final int REDIRECTS = 5;

    /** Returns a copy with another total timeout. */
    public HttpLimits withTotal(Duration other) {
        return new HttpLimits(attempts, connect, response, body, requestsPerHost, other);
    }
}
