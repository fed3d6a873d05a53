package io.portcullis.core.validation;

/**
 * A validation error of one field, in the format and wording of the Kubernetes API.
 *
 * @param message the message of the cause in a 422 response, without the name of the field
 */
public record FieldError(Type type, String path, String message) {

    /** The reason of the cause in the response. */
    public enum Type {
        REQUIRED("FieldValueRequired"),
        INVALID("FieldValueInvalid"),
        FORBIDDEN("FieldValueForbidden"),
        DUPLICATE("FieldValueDuplicate"),
        TOO_MANY("FieldValueTooMany");

        private final String wireName;

        Type(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    public static FieldError required(String path, String detail) {
        return new FieldError(Type.REQUIRED, path, "Required value: " + detail);
    }

    public static FieldError invalid(String path, Object value, String detail) {
        var shown = value instanceof Number ? value.toString() : "\"" + value + "\"";
        return new FieldError(Type.INVALID, path, "Invalid value: " + shown + ": " + detail);
    }

    public static FieldError forbidden(String path, String detail) {
        return new FieldError(Type.FORBIDDEN, path, "Forbidden: " + detail);
    }

    static FieldError duplicate(String path, String value) {
        return new FieldError(Type.DUPLICATE, path, "Duplicate value: \"" + value + "\"");
    }

    static FieldError tooMany(String path, int actual, int max) {
        return new FieldError(Type.TOO_MANY, path, "Too many: " + actual + ": must have at most " + max + " items");
    }

    @Override
    public String toString() {
        return path + ": " + message;
    }
}
