package io.portcullis.process.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/** Answers that every server of ours gives alike. */
public final class Answers {

    public static final Header JSON = HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/json");
    private static final Header RETRY_SOON = HeaderValues.createCached(HeaderNames.RETRY_AFTER, "1");

    private Answers() {}

    /** An unread body would have to be read to the end before the next request: closing is cheaper and safer. */
    public static void refuse(ServerRequest request, ServerResponse response, HttpProblem problem) {
        if (response.isSent()) {
            return;
        }
        response.status(problem.status()).header(JSON);
        if (problem.status() == 503) {
            response.header(RETRY_SOON);
        }
        var unread = problem.status() == 413 || problem.status() == 415;
        if (unread && request.prologue().protocolVersion().startsWith("1")) {
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
        response.send(problem.body());
    }

    /** Helidon answers {@code Connection: close}, but waits for the client to do it. */
    public static void closeIfAsked(ServerRequest request, ServerResponse response) {
        if (request.prologue().protocolVersion().startsWith("1")
                && (request.headers().contains(HeaderValues.CONNECTION_CLOSE)
                        || response.headers().contains(HeaderValues.CONNECTION_CLOSE))) {
            throw new CloseConnectionException("the connection is to be closed");
        }
    }
}
