package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Probe;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What replicas last said. One failure to ask is forgiven, since a busy moment proves nothing; the second in a row
 * counts. What an answer says counts at once. Thread-safe.
 */
public final class EvidenceBook {

    private static final int FAILURES_THAT_COUNT = 2;

    private final Map<Source, Entry> entries = new ConcurrentHashMap<>();
    private final Clock clock;

    /**
     * Who was asked, and with which certificates the answer was checked.
     *
     * @param caBundle as it stands in the webhook
     */
    public record Source(String policyServer, String podUid, String caBundle) {}

    private record Heard(Evidence evidence, Instant at) {}

    private record Entry(Optional<Heard> heard, int failures, String cause) {

        static final Entry NEW = new Entry(Optional.empty(), 0, "");

        boolean isFailed() {
            return failures >= FAILURES_THAT_COUNT || (failures > 0 && heard.isEmpty());
        }

        /** All that it was heard to serve, unless it can no longer be asked. */
        Set<ServedGeneration> served() {
            return isFailed()
                    ? Set.of()
                    : heard.map(words -> Set.copyOf(words.evidence().policies()))
                            .orElse(Set.of());
        }
    }

    /** What a new answer, or the lack of one, means for policies. */
    public sealed interface News {

        /** For these, by unique name; for none if it is empty. */
        record About(Set<String> policyIds) implements News {}

        /** For all that the replica serves: it can be asked again, or no longer. */
        record AboutAll() implements News {}
    }

    public EvidenceBook(Clock clock) {
        this.clock = clock;
    }

    News heard(Source source, Evidence evidence) {
        return replace(source, new Entry(Optional.of(new Heard(evidence, clock.instant())), 0, ""));
    }

    News failed(Source source, String cause) {
        var before = entries.getOrDefault(source, Entry.NEW);
        return replace(source, new Entry(before.heard(), before.failures() + 1, cause));
    }

    private News replace(Source source, Entry now) {
        var before = entries.put(source, now);
        if (before == null || before.isFailed() != now.isFailed()) {
            return new News.AboutAll();
        }
        var changed = new HashSet<>(before.served());
        changed.removeAll(now.served());
        var added = new HashSet<>(now.served());
        added.removeAll(before.served());
        changed.addAll(added);
        return new News.About(changed.stream().map(ServedGeneration::id).collect(Collectors.toSet()));
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

    /** What is known of one replica with regard to the revisions of one policy. */
    public Probe probe(Source source, List<PolicyRevision> revisions) {
        return Optional.ofNullable(entries.get(source))
                .map(entry -> probe(entry, revisions))
                .orElseGet(Probe.Unasked::new);
    }

    private Probe probe(Entry entry, List<PolicyRevision> revisions) {
        if (entry.isFailed()) {
            return new Probe.Failed(entry.cause());
        }
        return entry.heard()
                .<Probe>map(heard -> new Probe.Answered(
                        revisions.stream()
                                .filter(revision -> proves(heard.evidence(), revision))
                                .map(revision -> revision.getSpec().policyGeneration())
                                .collect(Collectors.toSet()),
                        age(heard)))
                .orElseGet(Probe.Unasked::new);
    }

    private static boolean proves(Evidence evidence, PolicyRevision revision) {
        try {
            return evidence.proves(revision);
        } catch (FlatObject.MalformedException _) {
            return false; // nobody can serve what cannot be read
        }
    }

    private Duration age(Heard heard) {
        return Duration.between(heard.at(), clock.instant());
    }
}
