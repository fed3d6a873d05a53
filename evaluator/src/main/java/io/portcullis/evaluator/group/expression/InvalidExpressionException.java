package io.portcullis.evaluator.group.expression;

/** The expression of a group cannot be used; the message says why and where. */
public final class InvalidExpressionException extends RuntimeException {

    public InvalidExpressionException(String message) {
        super(message);
    }

    InvalidExpressionException(String message, int line, int position) {
        this("%s (line %d, position %d)".formatted(message, line, position));
    }
}
