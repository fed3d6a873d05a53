package io.portcullis.evaluator.json;

/** Thrown for a document that is not JSON, or is JSON of an unexpected shape. */
public final class JsonException extends RuntimeException {

    /** The kind of error. */
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

    /** The location in the document, for example {@code request.object.spec.containers[0]}; empty for the root. */
    public String path() {
        return path;
    }

    /** The problem, with line and column. */
    public String problem() {
        return problem;
    }
}
