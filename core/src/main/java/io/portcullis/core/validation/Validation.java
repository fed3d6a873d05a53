package io.portcullis.core.validation;

import java.util.List;

/** The result of a validation. The object is admitted when there is no error. The user sees the warnings in any case. */
public record Validation(List<FieldError> errors, List<String> warnings) {

    public static final Validation FINE = new Validation(List.of(), List.of());

    public Validation {
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
    }

    static Validation refused(FieldError error) {
        return new Validation(List.of(error), List.of());
    }

    public boolean isAdmitted() {
        return errors.isEmpty();
    }
}
