package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** What a policy means for somebody who waits for something to become true of it. */
sealed interface StatusVerdict {

    record Reached() implements StatusVerdict {}

    /** @param state where it is now, in words */
    record Waiting(String state) implements StatusVerdict {}

    /** It will not come without somebody doing something. */
    record Failed(String cause) implements StatusVerdict {}

    /**
     * Judges a policy, and then watches it until it is judged finally or the time is over; the last verdict tells.
     *
     * @param policy as it was just seen
     * @param progress is told each new state on the way
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
