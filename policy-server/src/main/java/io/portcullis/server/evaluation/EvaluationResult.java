package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;

/** What came of a request to a policy. */
public sealed interface EvaluationResult {

    record Judged(AdmissionResponse response) implements EvaluationResult {}

    record UnknownPolicy(PolicyAddress address) implements EvaluationResult {}

    /** Not evaluated, because too much else is; the message says what is full. */
    record Overloaded(String message) implements EvaluationResult {}
}
