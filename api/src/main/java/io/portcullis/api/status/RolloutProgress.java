package io.portcullis.api.status;

import static io.portcullis.api.condition.ConditionType.INITIALIZED;
import static io.portcullis.api.condition.ConditionType.READY;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;
import static io.portcullis.api.condition.ConditionType.VERIFIED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far one generation has come, as leader and replicas reported it on its revision.
 *
 * @param verified set when the present verification config does not accept what was initialized before
 * @param ready reports of the replicas, by ordinal
 */
public record RolloutProgress(
        long generation,
        Optional<Condition> scheduled,
        Optional<Condition> initialized,
        Optional<Condition> verified,
        SortedMap<Integer, Condition> ready) {

    public RolloutProgress {
        ready = Collections.unmodifiableSortedMap(new TreeMap<>(ready));
    }

    /** Nothing reported yet. */
    public static RolloutProgress none(long generation) {
        return new RolloutProgress(
                generation, Optional.empty(), Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }

    /** What the conditions of a revision say about its own generation. */
    public static RolloutProgress of(long generation, List<Condition> conditions) {
        var ready = new TreeMap<Integer, Condition>();
        conditions.stream()
                .filter(condition -> condition.generation() == generation
                        && condition.type().equals(READY.wireName())
                        && condition.replica() >= 0)
                .forEach(condition -> ready.put(condition.replica(), condition));
        return new RolloutProgress(
                generation,
                find(SCHEDULED, generation, conditions),
                find(INITIALIZED, generation, conditions),
                find(VERIFIED, generation, conditions),
                ready);
    }

    private static Optional<Condition> find(ConditionType type, long generation, List<Condition> conditions) {
        var key = new Condition.Key(type.wireName(), generation, Condition.NO_REPLICA);
        return conditions.stream()
                .filter(condition -> condition.key().equals(key))
                .findFirst();
    }

    /** Pulled, compiled and validated: the content is good. */
    public boolean isInitialized() {
        return initialized.filter(Condition::isTrue).isPresent();
    }

    /** The leader could not prepare it. */
    public Optional<Condition> initializationFailure() {
        return initialized.filter(Condition::isFalse);
    }

    /** The leader could not prepare it, and only a change of the policy will help. */
    public Optional<Condition> defect() {
        return initializationFailure()
                .filter(failure -> Reason.parse(failure.reason())
                        .filter(reason -> reason.fault() == Reason.Fault.DEFECT)
                        .isPresent());
    }

    /** How many of the first {@code replicas} have loaded it. */
    public int loadedBy(int replicas) {
        return (int) ready.headMap(replicas).values().stream()
                .filter(Condition::isTrue)
                .count();
    }

    /** A replica among the first {@code replicas} that could not load it. */
    public Optional<Condition> loadFailure(int replicas) {
        return ready.headMap(replicas).values().stream()
                .filter(Condition::isFalse)
                .findFirst();
    }
}
