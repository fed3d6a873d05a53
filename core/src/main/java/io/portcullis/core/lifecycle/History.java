package io.portcullis.core.lifecycle;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Decides which revisions are kept for rollback and which are deleted, and lists the kept ones for the owner of the policy. */
public final class History {

    /** The number of revisions that a status or a message lists. The CRDs have the same limit. */
    public static final int MAX_LISTED = 20;

    /** The number of modules that a listed revision has. Larger groups are cut. The CRDs have the same limit. */
    public static final int MAX_MODULES = 32;

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

    /**
     * Lists the newest revisions of a policy, newest first, and the one in the webhook in any case.
     *
     * @param isIntact whether the content of a revision is unchanged since it was frozen
     * @param generation the policy's current generation
     * @param mode the policy's current mode
     */
    public static List<RevisionSummary> summaries(
            List<PolicyRevision> revisions, Predicate<PolicyRevision> isIntact, long generation, PolicyMode mode) {
        var newest = revisions.stream()
                .sorted(Comparator.comparingLong(History::generation).reversed())
                .toList();
        var listed = new ArrayList<>(newest.subList(0, Math.min(MAX_LISTED, newest.size())));
        newest.stream()
                .skip(MAX_LISTED)
                .filter(revision -> revision.getSpec().active())
                .findFirst()
                .ifPresent(active -> listed.set(MAX_LISTED - 1, active));
        return listed.stream()
                .map(revision -> summary(revision, isIntact, generation, mode))
                .toList();
    }

    private static RevisionSummary summary(
            PolicyRevision object, Predicate<PolicyRevision> isIntact, long generation, PolicyMode mode) {
        var revision = Revision.of(object);
        return new RevisionSummary(
                revision.generation(),
                object.getMetadata().getCreationTimestamp(),
                revision.mode().wireName(),
                object.statusOrEmpty().artifacts().stream()
                        .limit(MAX_MODULES)
                        .map(artifact -> new RevisionSummary.Module(artifact.member(), artifact.digest()))
                        .toList(),
                revision.wasActivated() || revision.switches().active(),
                Rollback.Candidate.of(revision).isRestorable(generation, mode) && isIntact.test(object),
                object.getSpec().rollbackOf());
    }

    private static long generation(PolicyRevision revision) {
        return revision.getSpec().policyGeneration();
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
