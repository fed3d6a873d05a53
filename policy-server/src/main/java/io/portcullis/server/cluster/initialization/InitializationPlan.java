package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.lifecycle.Pause;
import java.time.Instant;
import java.util.Optional;

/** What the leader does next for one revision. */
final class InitializationPlan {

    private InitializationPlan() {}

    /** The next thing to do. */
    enum Step {
        NOTHING,
        /** Stop working for a revision that nobody wants any more. */
        ABANDON,
        /** All is done, only the word that we have it is missing. */
        SCHEDULE,
        INITIALIZE,
        /** See that the cache has what a former leader put there, and sign it if needed; the condition is not touched. */
        INSPECT
    }

    /**
     * How the last attempt of this term failed.
     *
     * @param pause before the next attempt; absent: not before policy, configuration or leader change
     */
    record Attempt(int failures, Optional<Pause> pause) {}

    /**
     * What the leader knows.
     *
     * @param scheduled the condition as it is stored, of this generation
     * @param initialized likewise
     * @param running whether a task of ours works on it
     * @param attempt the last one of this term, if it failed
     * @param inspected whether the cache was found complete in this term, and the modules have a statement with the present
     *     certificate
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
            // Also a revision that failed and was given back to us: its history does not count.
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
