package io.portcullis.process.leadership;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** What a candidate does about the lease that it sees. Terms only ever grow, so that a paused leader can be told from its successor. */
final class LeasePlan {

    /** How long a holder that says nothing is left alone. */
    static final Duration DURATION = Duration.ofSeconds(15);

    /** A leader that could not renew for this long no longer counts itself as one; shorter than the duration. */
    static final Duration RENEW_LIMIT = Duration.ofSeconds(10);

    /** Between two looks. */
    static final Duration RETRY = Duration.ofSeconds(2);

    private LeasePlan() {}

    /** The next write, if any. */
    sealed interface Step {

        /** There is no lease yet. */
        record Create(long term) implements Step {}

        record Take(long term) implements Step {}

        record Renew() implements Step {}

        record Wait() implements Step {}
    }

    /**
     * Decides on what was read.
     *
     * @param unchangedFor how long, by our own clock, the lease has looked like this; clocks of others are not trusted
     * @param held the term in which this very process leads
     * @param floor the highest term seen anywhere: a lease that was deleted must not begin again below it
     */
    static Step decide(
            Optional<LeaseSpec> lease, String identity, Duration unchangedFor, OptionalLong held, long floor) {
        if (lease.isEmpty()) {
            return new Step.Create(floor + 1);
        }
        long stored = Objects.requireNonNullElse(lease.get().getLeaseTransitions(), 0);
        var next = new Step.Take(Math.max(stored, floor) + 1);
        var holder = Objects.requireNonNullElse(lease.get().getHolderIdentity(), "");
        if (holder.isEmpty()) {
            return next;
        }
        if (holder.equals(identity)) {
            // A process of the same name that died leaves its term to nobody.
            var stillOurs = held.isPresent() && held.getAsLong() == stored && stored >= floor;
            return stillOurs ? new Step.Renew() : next;
        }
        var patience = Duration.ofSeconds(
                Objects.requireNonNullElse(lease.get().getLeaseDurationSeconds(), (int) DURATION.toSeconds()));
        return unchangedFor.compareTo(patience) >= 0 ? next : new Step.Wait();
    }
}
