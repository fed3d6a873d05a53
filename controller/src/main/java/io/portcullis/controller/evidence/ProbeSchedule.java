package io.portcullis.controller.evidence;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the replicas of one server are to be asked next: now and then about everything; about a single policy as soon as
 * there is news of it, so that one change among thousands costs little. Thread-safe.
 */
final class ProbeSchedule {

    /** One answer about everything is cheaper than a question of such length, and servers do not take much longer ones. */
    private static final int LONGEST_QUESTION = 2000;

    /** When everything was last asked for, and when it is due again. */
    private Instant last = Instant.MAX;

    private Instant next = Instant.MIN;
    private Map<Integer, Set<String>> policies = new HashMap<>();

    /** What is asked at once. */
    sealed interface Topic {

        record Everything() implements Topic {}

        /**
         * Single policies.
         *
         * @param byReplica unique names, by the replica that is to be asked; may be none at all
         */
        record Policies(Map<Integer, Set<String>> byReplica) implements Topic {}
    }

    /** As soon as possible. */
    synchronized void addEverything() {
        next = Instant.MIN;
    }

    synchronized void add(int replica, String policyId) {
        policies.computeIfAbsent(replica, _ -> new HashSet<>()).add(policyId);
    }

    /**
     * Takes what is due from the agenda.
     *
     * @param interval after which everything is due again
     */
    synchronized Topic take(Instant now, Duration interval) {
        var taken = policies;
        policies = new HashMap<>();
        if (!isEverythingDue(now) && taken.values().stream().allMatch(ProbeSchedule::fitsInAQuestion)) {
            return new Topic.Policies(taken);
        }
        last = now;
        next = now.plus(interval);
        return new Topic.Everything();
    }

    private static boolean fitsInAQuestion(Set<String> policyIds) {
        return policyIds.stream().mapToInt(String::length).sum() <= LONGEST_QUESTION;
    }

    /** Also when the clock was set back, which must not put it off. */
    private boolean isEverythingDue(Instant now) {
        return now.isBefore(last) || !now.isBefore(next);
    }

    /** How long until everything is due. */
    synchronized Duration left(Instant now) {
        return isEverythingDue(now) ? Duration.ZERO : Duration.between(now, next);
    }
}
