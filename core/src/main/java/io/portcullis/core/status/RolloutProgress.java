package io.portcullis.core.status;

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
 * Rollout progress of one generation, as reported by leader and replicas on its revision.
 *
 * @param verified present when the current verification config does not accept the initialized modules
 * @param ready Ready conditions of the replicas, by ordinal
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

    /** Returns the progress of a generation without any reports. */
    public static RolloutProgress none(long generation) {
        return new RolloutProgress(
                generation, Optional.empty(), Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }

    /** Reads the progress from the conditions of a revision. Conditions of other generations are ignored. */
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

    /** Returns whether the leader pulled, compiled and validated the content. */
    public boolean isInitialized() {
        return initialized.filter(Condition::isTrue).isPresent();
    }

    /** Returns the failed Initialized condition, if the leader could not prepare the generation. */
    public Optional<Condition> initializationFailure() {
        return initialized.filter(Condition::isFalse);
    }

    /** Returns the initialization failure, if its cause is the policy itself. */
    public Optional<Condition> defect() {
        return initializationFailure()
                .filter(failure -> Reason.parse(failure.reason())
                        .filter(reason -> reason.fault() == Reason.Fault.DEFECT)
                        .isPresent());
    }

    /** Returns how many of the first {@code replicas} replicas have loaded the generation. */
    public int loadedBy(int replicas) {
        return (int) ready.headMap(replicas).values().stream()
                .filter(Condition::isTrue)
                .count();
    }

    /** Returns the first load failure among the first {@code replicas} replicas. */
    public Optional<Condition> loadFailure(int replicas) {
        return ready.headMap(replicas).values().stream()
                .filter(Condition::isFalse)
                .findFirst();
    }
}
