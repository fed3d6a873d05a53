package io.portcullis.kwctl.suite;

import io.portcullis.evaluator.AdmissionResponse;

/** The outcome of a case. */
public sealed interface CaseOutcome {

    record Evaluated(AdmissionResponse response) implements CaseOutcome {}

    /** The policy rejects its settings. */
    record SettingsRejected(String message) implements CaseOutcome {}

    /** A cluster would not call the policy. */
    record Skipped(String reason) implements CaseOutcome {}

    /** The case cannot run: a file is missing, or a module is invalid. */
    record Broken(String message) implements CaseOutcome {}
}
