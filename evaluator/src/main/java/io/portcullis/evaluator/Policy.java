package io.portcullis.evaluator;

/**
 * A loaded policy or group: compiled, linked, settings validated, grants fixed. Thread-safe and immutable; every
 * evaluation runs in a fresh instance. Evaluations must run on platform threads: native frames would pin virtual ones.
 */
public interface Policy extends AutoCloseable {

    /** The verdict with mode, mutation rule and custom message applied. Never throws for what a guest does. */
    AdmissionResponse validate(EvaluationRequest request);

    /** The policy's own verdict, for audits. */
    AdmissionResponse audit(EvaluationRequest request);

    /** Releases this policy's hold on its module. Evaluations that are under way finish first. */
    @Override
    void close();
}
