package io.portcullis.evaluator;

import io.portcullis.evaluator.runtime.SettingsOutcome;
import io.portcullis.wasm.Deadline;

/**
 * One loaded module with its settings and grants, the part that single policies and group members share: it judges,
 * nothing is enforced. Thread-safe.
 */
public interface PolicyEvaluator extends AutoCloseable {

    /** The policy id; {@code <group>/<member>} for members. */
    String id();

    /**
     * Judges in a fresh instance until the earlier of {@code deadline} and the module's own limit. Never throws for what
     * a guest does.
     *
     * @throws PolicyClosedException when closed
     */
    PolicyVerdict judge(EvaluationRequest request, Deadline deadline);

    /** Asks the module whether it accepts its settings, as was done when it was loaded. */
    SettingsOutcome validateSettings();

    /** Lets go of the module once evaluations that are under way have finished. */
    @Override
    void close();
}
