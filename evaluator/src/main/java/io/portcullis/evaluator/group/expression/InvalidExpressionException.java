package io.portcullis.evaluator.group.expression;

/** Thrown when the expression of a group is invalid; the message contains the cause and the position. */
public final class InvalidExpressionException extends RuntimeException {

    /** What is wrong with the expression. */
    public enum Problem {
        /** It is not an expression of the grammar, or it names something that is not a member. */
        SYNTAX,
        /** It is an expression, but its result is not a boolean. */
        NOT_BOOLEAN
    }

    private final Problem problem;

    private InvalidExpressionException(Problem problem, String message) {
        super(message);
        this.problem = problem;
    }

    static InvalidExpressionException at(Problem problem, String message, int line, int position) {
        return new InvalidExpressionException(problem, "%s (line %d, position %d)".formatted(message, line, position));
    }

    public Problem problem() {
        return problem;
    }
}
