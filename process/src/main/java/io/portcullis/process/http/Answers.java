package io.portcullis.process.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/** Responses that all our servers share. */
public final class Answers {

    public static final Header JSON = HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/json");
    static final Header RETRY_SOON = HeaderValues.createCached(HeaderNames.RETRY_AFTER, "1");

    private Answers() {}

    /** Sends an error, and closes the connection when part of the request is unread. */
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

    /** Sends a status without a body, and closes the connection when part of the request is unread. */
    public static void status(ServerRequest request, ServerResponse response, int status) {
        closeIfUnread(request, response);
        response.status(status).send();
    }

    /** Closes the connection when the body is unread. Reading the rest before the next request costs more and is less safe. */
    private static void closeIfUnread(ServerRequest request, ServerResponse response) {
        var connection = ClientConnection.of(request);
        if (!connection.isHttp2() && RequestBodies.isUnread(request)) {
            connection.leaveInputUnread();
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
    }

    /** Closes the connection after {@code Connection: close}. Helidon sends that header, but waits for the client to close. */
    public static void closeIfRequested(ServerRequest request, ServerResponse response) {
        if (request.prologue().protocolVersion().startsWith("1")
                && (request.headers().contains(HeaderValues.CONNECTION_CLOSE)
                        || response.headers().contains(HeaderValues.CONNECTION_CLOSE))) {
            throw new CloseConnectionException("the connection is to be closed");
        }
    }
}
