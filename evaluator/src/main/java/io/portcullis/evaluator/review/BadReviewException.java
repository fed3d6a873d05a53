package io.portcullis.evaluator.review;

import io.portcullis.evaluator.json.JsonException;

/** Thrown when a body is not a review. The message is the whole text of the response. */
public final class BadReviewException extends RuntimeException {

    private final JsonException.Kind kind;

    BadReviewException(JsonException cause) {
        super(prefix(cause.kind()) + cause.getMessage(), cause, false, false);
        this.kind = cause.kind();
    }

    /** Not JSON (bad request), or JSON of the wrong shape (unprocessable). */
    public JsonException.Kind kind() {
        return kind;
    }

    private static String prefix(JsonException.Kind kind) {
        return switch (kind) {
            case SYNTAX -> "Failed to parse the request body as JSON: ";
            case SHAPE -> "Failed to deserialize the JSON body into the target type: ";
        };
    }
}
