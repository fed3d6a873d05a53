package io.portcullis.evaluator;

/**
 * The result of one evaluation of a module or a group. Groups must distinguish a policy that rejects from a policy that fails.
 */
public sealed interface PolicyVerdict {

    /** The response; for a failure, a rejection with code 500. */
    AdmissionResponse response();

    /** The policy decided. */
    record Decided(AdmissionResponse response) implements PolicyVerdict {}

    /** The policy could not decide. */
    record Failed(EvaluationFailure cause, AdmissionResponse response) implements PolicyVerdict {}
}
