package io.portcullis.evaluator.rego.builtin.schema;

/** Thrown when a JSON schema is invalid; the message is OPA's. */
final class SchemaException extends RuntimeException {

    SchemaException(String message) {
        super(message);
    }

    static SchemaException wrongType(String expected, String given) {
        return new SchemaException("Invalid type. Expected: " + expected + ", given: " + given);
    }
}
