package io.portcullis.evaluator.rego.builtin;

/** A JSON schema cannot be used; the message is the one that OPA gives. */
final class SchemaException extends RuntimeException {

    SchemaException(String message) {
        super(message);
    }

    static SchemaException wrongType(String expected, String given) {
        return new SchemaException("Invalid type. Expected: " + expected + ", given: " + given);
    }
}
