package io.portcullis.process.http;

/** A request fails with an error status and one message, which the client receives. */
public final class HttpProblem extends RuntimeException {

    private final int status;

    public HttpProblem(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public int status() {
        return status;
    }

    public byte[] body() {
        return ErrorBody.of(status, String.valueOf(getMessage()));
    }
}
