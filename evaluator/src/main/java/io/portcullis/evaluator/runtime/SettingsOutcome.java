package io.portcullis.evaluator.runtime;

import java.util.Optional;

/** Whether a policy can work with its settings. */
public sealed interface SettingsOutcome {

    record Valid() implements SettingsOutcome {}

    record Invalid(Optional<String> message) implements SettingsOutcome {}
}
