package io.portcullis.api.lifecycle;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Which revisions are kept for rollback, and which are garbage. */
public final class History {

    private History() {}

    /** Any policy's revision, as the sweeper sees it. */
    public record Owned(String policyUid, Revision revision) {}

    /**
     * Revisions of a policy that need not be kept: of those once in use, all but the newest {@code limit}; of those that
     * never were, all but the newest, which stays for diagnosis. What is enabled or latest always stays.
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

    /** Revisions whose time has come, and those that nobody stamped though their policy is gone (E16). */
    public static List<Revision> expired(List<Owned> all, Set<String> livePolicyUids, Instant now) {
        return all.stream()
                .filter(owned -> owned.revision()
                        .switches()
                        .deleteAfter()
                        .map(at -> !now.isBefore(at))
                        .orElse(!livePolicyUids.contains(owned.policyUid())))
                .map(Owned::revision)
                .toList();
    }

    private static Stream<Revision> newestFirst(List<Revision> revisions, Predicate<Revision> which) {
        return revisions.stream()
                .filter(which)
                .sorted(Comparator.comparingLong(Revision::generation).reversed());
    }
}
