package io.portcullis.evaluator;

import io.portcullis.wasm.Deadline;

/**
 * A loaded policy or group: compiled, linked, settings validated, grants fixed. Thread-safe and immutable; every
 * evaluation runs in a fresh instance. Evaluations must run on platform threads: native frames would pin virtual ones.
 */
public interface LoadedPolicy extends AutoCloseable {

    /**
     * The policy's own verdict, as audits report it and metrics count it. Never throws for what a guest does.
     *
     * @param deadline the caller's; it can only shorten the policy's own limit
     * @throws PolicyClosedException when the policy was closed before the evaluation began
     */
    AdmissionResponse audit(EvaluationRequest request, Deadline deadline);

    /** The same within the policy's own limit. */
    default AdmissionResponse audit(EvaluationRequest request) {
        return audit(request, Deadline.NONE);
    }

    /** What is answered to an admission request for a verdict: mode, mutation rule and custom message applied. */
    AdmissionResponse enforce(AdmissionResponse verdict);

    /** The verdict, enforced. */
    default AdmissionResponse validate(EvaluationRequest request) {
        return enforce(audit(request));
    }

    /** Has the settings validated once more, for who measures how long that takes; they were found valid at loading. */
    void validateSettings();

    /** Releases this policy's hold on its modules. Evaluations that are under way finish first. */
    @Override
    void close();
}
