package io.portcullis.evaluator;

/** The policy was replaced or removed between look-up and evaluation; look it up again. */
public final class PolicyClosedException extends RuntimeException {

    public PolicyClosedException(String policyId) {
        super("policy " + policyId + " is closed");
    }
}
