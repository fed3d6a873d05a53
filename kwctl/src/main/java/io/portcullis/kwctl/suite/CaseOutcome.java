package io.portcullis.kwctl.suite;

import io.portcullis.evaluator.AdmissionResponse;

/** What a case came to. */
public sealed interface CaseOutcome {

    record Judged(AdmissionResponse response) implements CaseOutcome {}

    /** The policy does not accept its settings. */
    record SettingsRefused(String message) implements CaseOutcome {}

    /** A cluster would not ask the policy. */
    record Skipped(String reason) implements CaseOutcome {}

    /** Nothing could be found out: a file is missing, a module is broken. */
    record Broken(String message) implements CaseOutcome {}
}
