package io.portcullis.process.leadership;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** Decides what a candidate does with the observed lease. Terms only increase, which distinguishes a paused leader from its successor. */
final class LeasePlan {

    /** The lease duration: how long candidates wait for a holder that does not renew. */
    static final Duration DURATION = Duration.ofSeconds(15);

    /** A leader that could not renew for this time stops leading. Shorter than the lease duration. */
    static final Duration RENEW_LIMIT = Duration.ofSeconds(10);

    /** The time between two attempts. */
    static final Duration RETRY = Duration.ofSeconds(2);

    private LeasePlan() {}

    /** The next write, if any. */
    sealed interface Step {

        /** Create the lease, because none exists. */
        record Create(long term) implements Step {}

        record Take(long term) implements Step {}

        record Renew() implements Step {}

        record Wait() implements Step {}
    }

    /**
     * Decides the next step from the lease that was read.
     *
     * @param unchangedFor how long the lease is unchanged by our own clock; clocks of other processes are not trusted
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
            // The identity alone proves nothing: a dead process with the same name may have held this term.
            var stillOurs = held.isPresent() && held.getAsLong() == stored && stored >= floor;
            return stillOurs ? new Step.Renew() : next;
        }
        var patience = Duration.ofSeconds(
                Objects.requireNonNullElse(lease.get().getLeaseDurationSeconds(), (int) DURATION.toSeconds()));
        return unchangedFor.compareTo(patience) >= 0 ? next : new Step.Wait();
    }
}
