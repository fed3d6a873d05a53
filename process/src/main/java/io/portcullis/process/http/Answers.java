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
    static final Header RETRY_SOON = HeaderValues.createCached(HeaderNames.RETRY_AFTER, "1");

    private Answers() {}

    /** Answers with an error, and closes the connection when part of the request is unread. */
    public static void refuse(ServerRequest request, ServerResponse response, HttpProblem problem) {
        if (response.isSent()) {
            return;
        }
        response.status(problem.status()).header(JSON);
        if (problem.status() == 503 || problem.status() == 429) {
            response.header(RETRY_SOON);
        }
        closeIfUnread(request, response);
        response.send(problem.body());
    }

    /** Answers with a status alone, and closes the connection when part of the request is unread. */
    public static void status(ServerRequest request, ServerResponse response, int status) {
        closeIfUnread(request, response);
        response.status(status).send();
    }

    /** An unread body would have to be read to the end before the next request: closing is cheaper and safer. */
    private static void closeIfUnread(ServerRequest request, ServerResponse response) {
        var connection = ClientConnection.of(request);
        if (!connection.isHttp2() && RequestBodies.isUnread(request)) {
            connection.leaveInputUnread();
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
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
