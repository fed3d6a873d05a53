package io.portcullis.evaluator.wasi;

/** How one run of a command ended. */
sealed interface RunResult {

    record Finished(byte[] output) implements RunResult {}

    /** With what the guest said on standard error, or, if it said nothing, what ended it. */
    record Failed(String text) implements RunResult {}

    record TimedOut() implements RunResult {}
}
