package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.core.status.Facts.Probe;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores the latest answer of each replica. A single failed call does not count, because a short overload proves
 * nothing; the second failure in a row counts. The content of an answer counts at once. Thread-safe.
 */
public final class EvidenceStore {

    private static final int FAILURES_THAT_COUNT = 2;

    private final Map<Source, Entry> entries = new ConcurrentHashMap<>();
    private final Clock clock;

    /**
     * The replica that answered, and the certificates that verified the answer.
     *
     * @param caBundle as written in the webhook
     */
    public record Source(String policyServer, String podUid, String caBundle) {}

    /**
     * The answer of a replica.
     *
     * @param served the served generations, by policy
     * @param at when the replica last reported all policies
     * @param digest of all served policies, once the replica has confirmed it
     */
    private record Answer(Map<String, PolicyGenerations> served, Instant at, Optional<String> digest) {

        Answer with(Set<String> policyIds, Map<String, PolicyGenerations> reported) {
            var all = new HashMap<>(served);
            all.keySet().removeAll(policyIds);
            all.putAll(reported);
            return new Answer(all, at, Optional.empty());
        }

        String digest(Source source) {
            return digest.orElseGet(() -> Evidence.digest(
                    source.podUid(),
                    served.values().stream().map(PolicyGenerations::digest).toList()));
        }
    }

    /** The generations of one policy that a replica serves. */
    private static final class PolicyGenerations {

        static final PolicyGenerations NOTHING = new PolicyGenerations(Set.of());

        private final Set<ServedGeneration> generations;
        /**
         * Cached, because the prober compares thousands of digests every few seconds. A race computes the same value
         * twice.
         */
        private volatile @Nullable String digest;

        PolicyGenerations(Set<ServedGeneration> generations) {
            this.generations = generations;
        }

        String digest() {
            var cached = digest;
            if (cached == null) {
                cached = ServedGeneration.digest(generations);
                digest = cached;
            }
            return cached;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PolicyGenerations reported && reported.generations.equals(generations);
        }

        @Override
        public int hashCode() {
            return generations.hashCode();
        }
    }

    private record Entry(Optional<Answer> answer, int failures, String cause) {

        static final Entry NEW = new Entry(Optional.empty(), 0, "");

        boolean isFailed() {
            return failures >= FAILURES_THAT_COUNT || (failures > 0 && answer.isEmpty());
        }

        /** All policies that the replica serves, or none if the replica can no longer be reached. */
        Map<String, PolicyGenerations> served() {
            return isFailed() ? Map.of() : answer.map(Answer::served).orElse(Map.of());
        }
    }

    /** The policies for which a new answer, or a missing one, changes the evidence. */
    public sealed interface Change {

        /** The evidence changed for these policies, by unique name; for none if the set is empty. */
        record Policies(Set<String> policyIds) implements Change {}

        /** The evidence changed for all policies on the replica: it became reachable or unreachable. */
        record WholeServer() implements Change {}
    }

    public EvidenceStore(Clock clock) {
        this.clock = clock;
    }

    Change recordAnswer(Source source, Evidence evidence) {
        var answer = new Answer(reported(source, evidence), clock.instant(), Optional.empty());
        return replace(source, new Entry(Optional.of(answer), 0, ""));
    }

    private Map<String, PolicyGenerations> reported(Source source, Evidence evidence) {
        var reported = evidence.policies().stream()
                .collect(Collectors.groupingBy(
                        ServedGeneration::id,
                        HashMap::new,
                        Collectors.collectingAndThen(Collectors.toUnmodifiableSet(), PolicyGenerations::new)));
        reported.replaceAll((policy, now) -> cached(source.policyServer(), policy, now));
        return reported;
    }

    /**
     * Returns the equal object that is already stored. Replicas report equal sets, and sharing them keeps thousands of
     * duplicates out of the heap.
     */
    private PolicyGenerations cached(String policyServer, String policyId, PolicyGenerations reported) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().policyServer().equals(policyServer))
                .flatMap(entry -> entry.getValue().answer().stream())
                .map(answer -> answer.served().get(policyId))
                .filter(reported::equals)
                .findFirst()
                .orElse(reported);
    }

    /**
     * The stored {@link Evidence#digest} of what the replica serves; absent if the replica never reported all policies.
     */
    Optional<String> digest(Source source) {
        return Optional.ofNullable(entries.get(source)).flatMap(Entry::answer).map(answer -> answer.digest(source));
    }

    /**
     * Records that the replica still serves what this digest identifies. This changes no policy, unless the stored
     * answer changed in the meantime.
     */
    Change confirmed(Source source, String digest) {
        var cached = Optional.ofNullable(entries.get(source))
                .flatMap(Entry::answer)
                .filter(answer -> answer.digest(source).equals(digest));
        return cached.isEmpty()
                ? new Change.Policies(Set.of())
                : replace(
                        source,
                        new Entry(
                                Optional.of(new Answer(cached.get().served(), clock.instant(), Optional.of(digest))),
                                0,
                                ""),
                        Set.of());
    }

    /** Records an answer about these policies, from a replica for which {@link #knows} is true. */
    Change recordAnswerAbout(Source source, Set<String> policyIds, Evidence evidence) {
        var before = Optional.ofNullable(entries.get(source)).flatMap(Entry::answer);
        return before.isEmpty()
                ? new Change.Policies(Set.of()) // the replica is no longer probed
                : replace(
                        source,
                        new Entry(
                                Optional.of(before.get().with(policyIds, reported(source, evidence.about(policyIds)))),
                                0,
                                ""),
                        policyIds);
    }

    /** Whether the replica has reported all policies and its last call succeeded. */
    boolean knows(Source source) {
        var entry = entries.get(source);
        return entry != null && entry.failures() == 0 && entry.answer().isPresent();
    }

    /** The sources of this replica; more than one while certificates are rotated. */
    List<Source> sources(String policyServer, String podUid) {
        return entries.keySet().stream()
                .filter(source -> source.policyServer().equals(policyServer)
                        && source.podUid().equals(podUid))
                .toList();
    }

    /** Whether the replica reported that it serves this generation, in any form. */
    boolean serves(Source source, String policyId, long generation) {
        var entry = entries.get(source);
        return entry != null
                && entry.served().getOrDefault(policyId, PolicyGenerations.NOTHING).generations.stream()
                        .anyMatch(served -> served.generation() == generation);
    }

    Change failed(Source source, String cause) {
        var before = entries.getOrDefault(source, Entry.NEW);
        return replace(source, new Entry(before.answer(), before.failures() + 1, cause));
    }

    private Change replace(Source source, Entry now) {
        var reported = new HashSet<>(now.served().keySet());
        reported.addAll(entries.getOrDefault(source, Entry.NEW).served().keySet());
        return replace(source, now, reported);
    }

    /** @param policyIds the policies that may have changed */
    private Change replace(Source source, Entry now, Set<String> policyIds) {
        var before = entries.put(source, now);
        if (before == null || before.isFailed() != now.isFailed()) {
            return new Change.WholeServer();
        }
        return new Change.Policies(policyIds.stream()
                .filter(policy -> !Objects.equals(
                        before.served().get(policy), now.served().get(policy)))
                .collect(Collectors.toUnmodifiableSet()));
    }

    /** Drops the replicas of a server that are no longer probed. */
    void retain(String policyServer, Collection<Source> asked) {
        entries.keySet().removeIf(source -> source.policyServer().equals(policyServer) && !asked.contains(source));
    }

    /** Whether any answer of this server's replicas is older than the given age. */
    boolean isStale(String policyServer, Duration age) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().policyServer().equals(policyServer))
                .flatMap(entry -> entry.getValue().answer().stream())
                .anyMatch(answer -> age(answer).compareTo(age) > 0);
    }

    /**
     * The evidence of one replica for one policy.
     *
     * @param expected how the replica should serve each generation of the policy
     */
    public Probe probe(Source source, List<ServedGeneration> expected) {
        return Optional.ofNullable(entries.get(source))
                .map(entry -> probe(entry, expected))
                .orElseGet(Probe.NotProbed::new);
    }

    private Probe probe(Entry entry, List<ServedGeneration> expected) {
        if (entry.isFailed()) {
            return new Probe.Failed(entry.cause());
        }
        return entry.answer()
                .<Probe>map(answer -> new Probe.Answered(
                        expected.stream()
                                .filter(served -> answer.served()
                                        .getOrDefault(served.id(), PolicyGenerations.NOTHING)
                                        .generations
                                        .contains(served))
                                .map(ServedGeneration::generation)
                                .collect(Collectors.toSet()),
                        age(answer)))
                .orElseGet(Probe.NotProbed::new);
    }

    /**
     * The absolute age. An answer from the future is as doubtful as an old one: the clock was set back by an unknown
     * amount.
     */
    private Duration age(Answer answer) {
        return Duration.between(answer.at(), clock.instant()).abs();
    }
}
