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
final class Agenda {

    /** One answer about everything is cheaper than a question that names so many. */
    private static final int MOST_NAMES = 50;

    private Instant everythingAt = Instant.MIN;
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
        everythingAt = Instant.MIN;
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
        if (everythingAt.isAfter(now) && taken.values().stream().allMatch(names -> names.size() <= MOST_NAMES)) {
            return new Topic.Policies(taken);
        }
        everythingAt = now.plus(interval);
        return new Topic.Everything();
    }

    /** How long until everything is due. */
    synchronized Duration left(Instant now) {
        return everythingAt.isAfter(now) ? Duration.between(now, everythingAt) : Duration.ZERO;
    }
}
