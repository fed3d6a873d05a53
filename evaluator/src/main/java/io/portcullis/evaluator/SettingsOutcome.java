package io.portcullis.evaluator;

import java.util.Optional;

/** The result of settings validation. */
public sealed interface SettingsOutcome {

    record Valid() implements SettingsOutcome {}

    record Invalid(Optional<String> message) implements SettingsOutcome {}

    /** The guest cannot be started with any settings. */
    record Unusable(String message) implements SettingsOutcome {}
}
