package io.portcullis.evaluator.wasi;

import io.portcullis.evaluator.EvaluationFailure;

/** The result of one run of a command. */
sealed interface RunResult {

    record Finished(byte[] output) implements RunResult {}

    /**
     * The guest failed. The text is the guest's standard error, or the cause of the failure if standard error is empty.
     */
    record Failed(EvaluationFailure cause, String text) implements RunResult {}

    record TimedOut() implements RunResult {}
}
