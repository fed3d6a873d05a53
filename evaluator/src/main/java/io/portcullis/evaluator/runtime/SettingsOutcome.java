package io.portcullis.evaluator.runtime;

import java.util.Optional;

/** Whether a policy can work with its settings. */
public sealed interface SettingsOutcome {

    record Valid() implements SettingsOutcome {}

    record Invalid(Optional<String> message) implements SettingsOutcome {}

    /** The guest cannot even be started; no settings would help. */
    record Unusable(String message) implements SettingsOutcome {}
}
