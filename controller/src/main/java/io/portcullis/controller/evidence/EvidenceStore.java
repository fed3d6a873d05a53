package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.status.Facts.Probe;
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
 * What replicas last said. One failure to ask is forgiven, since a busy moment proves nothing; the second in a row
 * counts. What an answer says counts at once. Thread-safe.
 */
public final class EvidenceStore {

    private static final int FAILURES_THAT_COUNT = 2;

    private final Map<Source, Entry> entries = new ConcurrentHashMap<>();
    private final Clock clock;

    /**
     * Who was asked, and with which certificates the answer was checked.
     *
     * @param caBundle as it stands in the webhook
     */
    public record Source(String policyServer, String podUid, String caBundle) {}

    /**
     * What a replica said.
     *
     * @param served by policy
     * @param at when it last told of everything
     * @param digest of all this, once the replica has confirmed it
     */
    private record Heard(Map<String, Told> served, Instant at, Optional<String> digest) {

        Heard with(Set<String> policyIds, Map<String, Told> told) {
            var all = new HashMap<>(served);
            all.keySet().removeAll(policyIds);
            all.putAll(told);
            return new Heard(all, at, Optional.empty());
        }

        String digest(Source source) {
            return digest.orElseGet(() -> Evidence.digest(
                    source.podUid(), served.values().stream().map(Told::digest).toList()));
        }
    }

    /** What it said of one policy. */
    private static final class Told {

        static final Told NOTHING = new Told(Set.of());

        private final Set<ServedGeneration> generations;
        /** Kept, because thousands of them are compared every few seconds; worked out twice by a race, it is the same. */
        private volatile @Nullable String digest;

        Told(Set<ServedGeneration> generations) {
            this.generations = generations;
        }

        String digest() {
            var known = digest;
            if (known == null) {
                known = ServedGeneration.digest(generations);
                digest = known;
            }
            return known;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Told told && told.generations.equals(generations);
        }

        @Override
        public int hashCode() {
            return generations.hashCode();
        }
    }

    private record Entry(Optional<Heard> heard, int failures, String cause) {

        static final Entry NEW = new Entry(Optional.empty(), 0, "");

        boolean isFailed() {
            return failures >= FAILURES_THAT_COUNT || (failures > 0 && heard.isEmpty());
        }

        /** All that it was heard to serve, unless it can no longer be asked. */
        Map<String, Told> served() {
            return isFailed() ? Map.of() : heard.map(Heard::served).orElse(Map.of());
        }
    }

    /** What a new answer, or the lack of one, means for policies. */
    public sealed interface News {

        /** For these, by unique name; for none if it is empty. */
        record About(Set<String> policyIds) implements News {}

        /** For all that the replica serves: it can be asked again, or no longer. */
        record AboutAll() implements News {}
    }

    public EvidenceStore(Clock clock) {
        this.clock = clock;
    }

    News heard(Source source, Evidence evidence) {
        var heard = new Heard(told(source, evidence), clock.instant(), Optional.empty());
        return replace(source, new Entry(Optional.of(heard), 0, ""));
    }

    private Map<String, Told> told(Source source, Evidence evidence) {
        var told = evidence.policies().stream()
                .collect(Collectors.groupingBy(
                        ServedGeneration::id,
                        HashMap::new,
                        Collectors.collectingAndThen(Collectors.toUnmodifiableSet(), Told::new)));
        told.replaceAll((policy, now) -> known(source.policyServer(), policy, now));
        return told;
    }

    /** In the object that is known: replicas say the same, and thousands of new ones would grow old in memory. */
    private Told known(String policyServer, String policyId, Told told) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().policyServer().equals(policyServer))
                .flatMap(entry -> entry.getValue().heard().stream())
                .map(heard -> heard.served().get(policyId))
                .filter(told::equals)
                .findFirst()
                .orElse(told);
    }

    /** What it is believed to serve, as {@link Evidence#digest} names it; absent when it never told. */
    Optional<String> digest(Source source) {
        return Optional.ofNullable(entries.get(source)).flatMap(Entry::heard).map(heard -> heard.digest(source));
    }

    /** It serves what this digest names. That is no news of policies, unless we have come to believe otherwise since. */
    News confirmed(Source source, String digest) {
        var known = Optional.ofNullable(entries.get(source))
                .flatMap(Entry::heard)
                .filter(heard -> heard.digest(source).equals(digest));
        return known.isEmpty()
                ? new News.About(Set.of())
                : replace(
                        source,
                        new Entry(
                                Optional.of(new Heard(known.get().served(), clock.instant(), Optional.of(digest))),
                                0,
                                ""),
                        Set.of());
    }

    /** The answer of one that {@link #knows} to a question about these policies. */
    News heardAbout(Source source, Set<String> policyIds, Evidence evidence) {
        var before = Optional.ofNullable(entries.get(source)).flatMap(Entry::heard);
        return before.isEmpty()
                ? new News.About(Set.of()) // not asked any more, since the question
                : replace(
                        source,
                        new Entry(
                                Optional.of(before.get().with(policyIds, told(source, evidence.about(policyIds)))),
                                0,
                                ""),
                        policyIds);
    }

    /** Whether it has told of everything, and could be asked the last time. */
    boolean knows(Source source) {
        var entry = entries.get(source);
        return entry != null && entry.failures() == 0 && entry.heard().isPresent();
    }

    /** How this replica is asked; by several certificates while they are replaced. */
    List<Source> sources(String policyServer, String podUid) {
        return entries.keySet().stream()
                .filter(source -> source.policyServer().equals(policyServer)
                        && source.podUid().equals(podUid))
                .toList();
    }

    /** Whether it said that it serves this generation, in whatever form. */
    boolean serves(Source source, String policyId, long generation) {
        var entry = entries.get(source);
        return entry != null
                && entry.served().getOrDefault(policyId, Told.NOTHING).generations.stream()
                        .anyMatch(served -> served.generation() == generation);
    }

    News failed(Source source, String cause) {
        var before = entries.getOrDefault(source, Entry.NEW);
        return replace(source, new Entry(before.heard(), before.failures() + 1, cause));
    }

    private News replace(Source source, Entry now) {
        var told = new HashSet<>(now.served().keySet());
        told.addAll(entries.getOrDefault(source, Entry.NEW).served().keySet());
        return replace(source, now, told);
    }

    /** @param policyIds those that may have changed */
    private News replace(Source source, Entry now, Set<String> policyIds) {
        var before = entries.put(source, now);
        if (before == null || before.isFailed() != now.isFailed()) {
            return new News.AboutAll();
        }
        return new News.About(policyIds.stream()
                .filter(policy -> !Objects.equals(
                        before.served().get(policy), now.served().get(policy)))
                .collect(Collectors.toUnmodifiableSet()));
    }

    /** Forgets replicas of a server that are not asked any more. */
    void retain(String policyServer, Collection<Source> asked) {
        entries.keySet().removeIf(source -> source.policyServer().equals(policyServer) && !asked.contains(source));
    }

    /** Whether something of this server was last heard longer ago than that. */
    boolean isStale(String policyServer, Duration age) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().policyServer().equals(policyServer))
                .flatMap(entry -> entry.getValue().heard().stream())
                .anyMatch(heard -> age(heard).compareTo(age) > 0);
    }

    /**
     * What is known of one replica with regard to one policy.
     *
     * @param expected how it is to serve each generation of the policy
     */
    public Probe probe(Source source, List<ServedGeneration> expected) {
        return Optional.ofNullable(entries.get(source))
                .map(entry -> probe(entry, expected))
                .orElseGet(Probe.Unasked::new);
    }

    private Probe probe(Entry entry, List<ServedGeneration> expected) {
        if (entry.isFailed()) {
            return new Probe.Failed(entry.cause());
        }
        return entry.heard()
                .<Probe>map(heard -> new Probe.Answered(
                        expected.stream()
                                .filter(served -> heard.served()
                                        .getOrDefault(served.id(), Told.NOTHING)
                                        .generations
                                        .contains(served))
                                .map(ServedGeneration::generation)
                                .collect(Collectors.toSet()),
                        age(heard)))
                .orElseGet(Probe.Unasked::new);
    }

    /** Words from the future are as doubtful as old ones: the clock was set back, nobody knows by how much. */
    private Duration age(Heard heard) {
        return Duration.between(heard.at(), clock.instant()).abs();
    }
}
