package io.portcullis.evaluator;

import io.portcullis.wasm.Deadline;

/**
 * A loaded policy or group: compiled, linked, settings validated, capabilities fixed. Thread-safe and immutable; every
 * evaluation runs in a fresh instance. Evaluations must run on platform threads, because native frames would pin
 * virtual threads.
 */
public interface LoadedPolicy extends AutoCloseable {

    /**
     * Evaluates the request and returns the policy's verdict, before mode, mutation rule and custom message apply.
     * Audits report this verdict and metrics count it. A misbehaving guest never causes an exception.
     *
     * @param deadline the caller's deadline; it can only shorten the policy's own limit
     * @throws PolicyClosedException if the policy was closed before the evaluation began
     */
    PolicyVerdict audit(EvaluationRequest request, Deadline deadline);

    /** Evaluates within the policy's own time limit only. */
    default PolicyVerdict audit(EvaluationRequest request) {
        return audit(request, Deadline.NONE);
    }

    /**
     * Returns the response to an admission request for a verdict, with mode, mutation rule and custom message applied.
     */
    AdmissionResponse enforce(PolicyVerdict verdict);

    /** Evaluates the request and applies mode, mutation rule and custom message. */
    default AdmissionResponse validate(EvaluationRequest request) {
        return enforce(audit(request));
    }

    /** Validates the settings again, for callers that measure the duration. Loading already found them valid. */
    void validateSettings();

    /** Releases this policy's references to its modules, after running evaluations have finished. */
    @Override
    void close();
}
