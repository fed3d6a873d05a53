package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/** What a policy means for somebody who waits for something to become true of it. */
sealed interface Verdict {

    record Reached() implements Verdict {}

    /** @param state where it is now, in words */
    record Waiting(String state) implements Verdict {}

    /** It will not come without somebody doing something. */
    record Failed(String cause) implements Verdict {}

    /**
     * Watches a policy until it is judged finally or the time is over; the last verdict tells.
     *
     * @param progress is told each new state on the way
     */
    static Verdict await(
            Cluster cluster,
            PolicyRef ref,
            Function<Policy, Verdict> judge,
            Duration limit,
            Consumer<String> progress) {
        var last = new AtomicReference<Verdict>(new Waiting(""));
        cluster.watch(
                ref,
                seen -> {
                    var verdict = seen.map(judge).orElse(new Failed("it was deleted"));
                    var before = last.getAndSet(verdict);
                    if (verdict instanceof Waiting(var state) && !verdict.equals(before)) {
                        progress.accept(state);
                    }
                    return !(verdict instanceof Waiting);
                },
                limit);
        return Optional.ofNullable(last.get()).orElseThrow();
    }
}
