package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The result of checking a policy against a goal. */
sealed interface StatusVerdict {

    record Reached() implements StatusVerdict {}

    /**
     * The goal is not reached yet.
     *
     * @param state the current state, for the user
     */
    record Waiting(String state) implements StatusVerdict {}

    /** The policy cannot reach the goal without a change by a user. */
    record Failed(String cause) implements StatusVerdict {}

    /**
     * Evaluates a policy, then watches it until the verdict is final or the time limit is over. Returns the last verdict.
     *
     * @param policy the current version
     * @param progress receives each new state
     */
    static StatusVerdict await(
            Cluster cluster,
            Policy policy,
            Function<Policy, StatusVerdict> judge,
            Duration limit,
            Consumer<String> progress) {
        var last = new AtomicReference<StatusVerdict>(new Waiting(""));
        Predicate<Optional<Policy>> isFinal = seen -> {
            var verdict = seen.map(judge).orElse(new Failed("it was deleted"));
            var before = last.getAndSet(verdict);
            if (verdict instanceof Waiting(var state) && !verdict.equals(before)) {
                progress.accept(state);
            }
            return !(verdict instanceof Waiting);
        };
        if (!isFinal.test(Optional.of(policy)) && limit.isPositive()) {
            cluster.watch(policy.ref(), isFinal, limit);
        }
        return last.get();
    }
}
