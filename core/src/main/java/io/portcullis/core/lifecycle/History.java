package io.portcullis.core.lifecycle;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Decides which revisions are kept for rollback and which are deleted. */
public final class History {

    private History() {}

    /**
     * Returns the revisions of a policy that may be deleted. Of the revisions that were activated, the newest {@code limit}
     * are kept. Of the revisions that never were, the newest is kept for diagnosis. Enabled, active and latest revisions are
     * always kept.
     */
    public static List<Revision> surplus(List<Revision> revisions, long latestGeneration, int limit) {
        Predicate<Revision> idle = revision ->
                !revision.isEnabled() && !revision.switches().active() && revision.generation() != latestGeneration;
        return Stream.concat(
                        newestFirst(revisions, idle.and(Revision::wasActivated)).skip(limit),
                        newestFirst(revisions, idle.and(revision -> !revision.wasActivated()))
                                .skip(1))
                .sorted(Comparator.comparingLong(Revision::generation))
                .toList();
    }

    /** Returns whether the delete-after time of a revision has passed. Without that time, whether the policy is gone (E16). */
    public static boolean isExpired(Revision revision, boolean isPolicyGone, Instant now) {
        return revision.switches().deleteAfter().map(at -> !now.isBefore(at)).orElse(isPolicyGone);
    }

    private static Stream<Revision> newestFirst(List<Revision> revisions, Predicate<Revision> filter) {
        return revisions.stream()
                .filter(filter)
                .sorted(Comparator.comparingLong(Revision::generation).reversed());
    }
}
