package io.portcullis.evaluator;

import io.portcullis.wasm.Deadline;

/**
 * One loaded module with its settings and capabilities. Single policies and group members share this part. It returns
 * verdicts and does not apply mode or mutation rules. Thread-safe.
 */
public interface PolicyEvaluator extends AutoCloseable {

    /** The policy id; {@code <group>/<member>} for members. */
    String id();

    /**
     * Evaluates in a fresh instance until the earlier of {@code deadline} and the module's own limit. A misbehaving
     * guest never causes an exception.
     *
     * @throws PolicyClosedException if the policy is closed
     */
    PolicyVerdict judge(EvaluationRequest request, Deadline deadline);

    /** Checks whether the module accepts its settings, as at load time. */
    SettingsOutcome validateSettings();

    /** Releases the module after running evaluations have finished. */
    @Override
    void close();
}
