package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.time.Pause;
import java.time.Instant;
import java.util.Optional;

/** Decides what the leader does next for one revision. */
final class InitializationPlan {

    private InitializationPlan() {}

    /** The next action. */
    enum Step {
        NOTHING,
        /** Cancel the work for a revision that is no longer enabled. */
        ABANDON,
        /** The revision is initialised; only the Scheduled condition is missing. */
        SCHEDULE,
        INITIALIZE,
        /**
         * Check that the cache contains the modules that an earlier leader stored, and sign them if needed. Keep the
         * condition.
         */
        INSPECT
    }

    /**
     * The last failed attempt in this term.
     *
     * @param pause the backoff before the next attempt; empty if only a new policy, configuration or leader permits one
     */
    record Attempt(int failures, Optional<Pause> pause) {}

    /**
     * The state of a revision as the leader observes it.
     *
     * @param scheduled the stored Scheduled condition of this generation
     * @param initialized the stored Initialized condition of this generation
     * @param running whether a task of this leader works on the revision
     * @param attempt the last attempt of this term, if it failed
     * @param inspected whether this leader found the cache complete in this term, and the statement of the modules is signed
     *     with the current certificate
     */
    record Facts(
            boolean enabled,
            Optional<Condition> scheduled,
            Optional<Condition> initialized,
            boolean running,
            Optional<Attempt> attempt,
            boolean inspected) {}

    static Step decide(Facts facts, Instant now) {
        if (!facts.enabled()) {
            return facts.running() ? Step.ABANDON : Step.NOTHING;
        }
        if (facts.running()) {
            return Step.NOTHING;
        }
        var isInitialized = facts.initialized().filter(Condition::isTrue).isPresent();
        if (facts.scheduled().filter(Condition::isTrue).isEmpty()) {
            // This includes a failed revision that was reset: earlier attempts do not count.
            return isInitialized ? Step.SCHEDULE : Step.INITIALIZE;
        }
        if ((isInitialized && facts.inspected()) || !isDue(facts.attempt(), now)) {
            return Step.NOTHING;
        }
        return isInitialized ? Step.INSPECT : Step.INITIALIZE;
    }

    private static boolean isDue(Optional<Attempt> last, Instant now) {
        return last.isEmpty()
                || last.get().pause().filter(pause -> pause.isOver(now)).isPresent();
    }
}
