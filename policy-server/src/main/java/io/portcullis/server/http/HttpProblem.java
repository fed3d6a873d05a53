package io.portcullis.server.http;

/** A request that is answered with an error status and one message. */
final class HttpProblem extends RuntimeException {

    private final int status;

    HttpProblem(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }

    byte[] body() {
        return ErrorBody.of(status, String.valueOf(getMessage()));
    }
}
