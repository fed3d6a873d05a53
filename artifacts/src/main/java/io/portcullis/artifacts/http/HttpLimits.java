package io.portcullis.artifacts.http;

import java.time.Duration;

/**
 * How long and how often to try.
 *
 * @param attempts of one request, the first included
 * @param connect until the connection stands
 * @param answer until the header of the answer is there
 * @param body how far a body may fall behind: it must bring {@link #MINIMUM_BYTES_PER_SECOND} on average once this long
 * @param requestsPerHost at the same time
 * @param total of one request with all its attempts, redirects and its body
 */
public record HttpLimits(
        int attempts, Duration connect, Duration answer, Duration body, int requestsPerHost, Duration total) {

    public static final HttpLimits DEFAULT = new HttpLimits(
            4, Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(30), 4, Duration.ofMinutes(5));

    /** An honest server is faster; one that is not holds a thread and a connection hostage. */
    static final long MINIMUM_BYTES_PER_SECOND = 1024;

    static final int REDIRECTS = 5;

    /** The same with another total. */
    public HttpLimits withTotal(Duration other) {
        return new HttpLimits(attempts, connect, answer, body, requestsPerHost, other);
    }
}
