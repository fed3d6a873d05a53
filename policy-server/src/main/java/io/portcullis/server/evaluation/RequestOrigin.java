package io.portcullis.server.evaluation;

/** The endpoint that received a request. */
public enum RequestOrigin {
    VALIDATE("validate", "validation"),
    AUDIT("audit", "audit"),
    VALIDATE_RAW("validate", "validation_raw");

    private final String label;
    private final String span;

    RequestOrigin(String label, String span) {
        this.label = label;
        this.span = span;
    }

    /** The value of the metric label {@code request_origin}. */
    String label() {
        return label;
    }

    String span() {
        return span;
    }
}
