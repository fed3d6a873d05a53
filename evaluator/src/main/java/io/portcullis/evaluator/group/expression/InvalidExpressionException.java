package io.portcullis.evaluator.group.expression;

/** Thrown when the expression of a group is invalid; the message contains the cause and the position. */
public final class InvalidExpressionException extends RuntimeException {

    public InvalidExpressionException(String message) {
        super(message);
    }

    InvalidExpressionException(String message, int line, int position) {
        this("%s (line %d, position %d)".formatted(message, line, position));
    }
}
