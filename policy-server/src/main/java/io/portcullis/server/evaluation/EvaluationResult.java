package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.server.evaluation.routing.PolicyAddress;

/** The result of a request to a policy. */
public sealed interface EvaluationResult {

    record Evaluated(AdmissionResponse response) implements EvaluationResult {}

    record UnknownPolicy(PolicyAddress address) implements EvaluationResult {}

    /** The request was not evaluated, because the server is overloaded. The message names the full resource. */
    record Overloaded(String message) implements EvaluationResult {}
}
