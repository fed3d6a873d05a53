package io.portcullis.controller.evidence;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Schedules the questions to the replicas of one server. A full question is due at intervals. A question about a single
 * policy is due as soon as that policy changes, so that one change among thousands costs little. Thread-safe.
 */
final class ProbeSchedule {

    /** Above this length, one answer about everything is cheaper, and servers reject much longer queries. */
    private static final int MAX_QUERY_LENGTH = 2000;

    /** When the last full question was asked, and when the next one is due. */
    private Instant lastFull = Instant.MAX;

    private Instant nextFull = Instant.MIN;
    private Map<Integer, Set<String>> policies = new HashMap<>();

    /** The content of the next questions. */
    sealed interface Topic {

        record Everything() implements Topic {}

        /**
         * Single policies.
         *
         * @param byReplica unique policy names, by the replica to ask; may be empty
         */
        record Policies(Map<Integer, Set<String>> byReplica) implements Topic {}
    }

    /** Makes a full question due now. */
    synchronized void addEverything() {
        nextFull = Instant.MIN;
    }

    synchronized void add(int replica, String policyId) {
        policies.computeIfAbsent(replica, _ -> new HashSet<>()).add(policyId);
    }

    /**
     * Takes the questions that are due off the schedule.
     *
     * @param interval the time until the next full question
     */
    synchronized Topic take(Instant now, Duration interval) {
        var taken = policies;
        policies = new HashMap<>();
        if (!isEverythingDue(now) && taken.values().stream().allMatch(ProbeSchedule::fitsInOneQuery)) {
            return new Topic.Policies(taken);
        }
        lastFull = now;
        nextFull = now.plus(interval);
        return new Topic.Everything();
    }

    private static boolean fitsInOneQuery(Set<String> policyIds) {
        return policyIds.stream().mapToInt(String::length).sum() <= MAX_QUERY_LENGTH;
    }

    /** Also true when the clock was set back, because that must not delay the question. */
    private boolean isEverythingDue(Instant now) {
        return now.isBefore(lastFull) || !now.isBefore(nextFull);
    }

    /** The time until the next full question is due. */
    synchronized Duration left(Instant now) {
        return isEverythingDue(now) ? Duration.ZERO : Duration.between(now, nextFull);
    }
}
