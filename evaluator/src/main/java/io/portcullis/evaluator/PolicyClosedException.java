package io.portcullis.evaluator;

/** Thrown when the policy was replaced or removed between lookup and evaluation. The caller must look it up again. */
public final class PolicyClosedException extends RuntimeException {

    public PolicyClosedException(String policyId) {
        super("policy " + policyId + " is closed");
    }
}
