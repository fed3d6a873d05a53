package io.portcullis.evaluator.json;

/** A document that is no JSON, or JSON of another shape than asked for. */
public final class JsonException extends RuntimeException {

    /** Which of the two. */
    public enum Kind {
        SYNTAX,
        SHAPE
    }

    private final Kind kind;
    private final String path;
    private final String problem;

    JsonException(Kind kind, String path, String problem) {
        super(path.isEmpty() ? problem : path + ": " + problem, null, false, false);
        this.kind = kind;
        this.path = path;
        this.problem = problem;
    }

    public Kind kind() {
        return kind;
    }

    /** Where in the document, for example {@code request.object.spec.containers[0]}; empty for the root. */
    public String path() {
        return path;
    }

    /** What is wrong, with line and column. */
    public String problem() {
        return problem;
    }
}
