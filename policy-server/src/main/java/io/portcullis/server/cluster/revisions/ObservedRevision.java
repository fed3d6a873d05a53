package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A revision as it was last seen, and the questions that a server asks of it. It asks them of all its revisions whenever one
 * of them changes, so the answers are worked out once.
 */
public final class ObservedRevision {

    private final PolicyRevision object;
    private final String name;
    private final long version;
    private final PolicyRevisionStatus status;
    private final boolean isEnabled;
    private final Optional<Condition> scheduled;
    private final Optional<Condition> initialized;
    private final Map<String, String> digests;

    /** @param object is not changed any more */
    public ObservedRevision(PolicyRevision object) {
        this.object = object;
        this.name = object.getMetadata().getName();
        this.version = version(object.getMetadata().getResourceVersion());
        this.status = Objects.requireNonNullElse(object.getStatus(), PolicyRevisionStatus.EMPTY);
        this.isEnabled = spec().enabled() && object.getMetadata().getDeletionTimestamp() == null;
        this.scheduled = find(ConditionType.SCHEDULED, Condition.NO_REPLICA);
        this.initialized = find(ConditionType.INITIALIZED, Condition.NO_REPLICA);
        var resolved = new TreeMap<String, String>();
        status.artifacts()
                .forEach(
                        artifact -> resolved.put(Objects.requireNonNullElse(artifact.member(), ""), artifact.digest()));
        this.digests = Map.copyOf(resolved);
    }

    private static long version(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    public PolicyRevision object() {
        return object;
    }

    public String name() {
        return name;
    }

    public PolicyRevisionSpec spec() {
        return object.getSpec();
    }

    public String policyId() {
        return spec().policyID();
    }

    public long generation() {
        return spec().policyGeneration();
    }

    public boolean isEnabled() {
        return isEnabled;
    }

    public boolean isActive() {
        return isEnabled && spec().active();
    }

    public PolicyRevisionStatus status() {
        return status;
    }

    public Optional<Condition> scheduled() {
        return scheduled;
    }

    public Optional<Condition> initialized() {
        return initialized;
    }

    public boolean isInitialized() {
        return initialized.isPresent() && initialized.get().isTrue();
    }

    public Optional<Condition> ready(int replica) {
        return find(ConditionType.READY, replica);
    }

    private Optional<Condition> find(ConditionType type, int replica) {
        var key = new Condition.Key(type.wireName(), generation(), replica);
        for (var condition : status.conditions()) {
            if (condition.key().equals(key)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** The highest term in which a leader has written here; 0: none has. */
    public long term() {
        return Optional.ofNullable(status.leader()).map(Leader::term).orElse(0L);
    }

    /** The modules as the leader resolved them, by member; that of a single policy stands under the empty name. */
    public Map<String, String> digests() {
        return digests;
    }

    /** Of two revisions that claim the same address the one that was created later, by name if at the same time. */
    public boolean isYoungerThan(ObservedRevision other) {
        var mine = Objects.requireNonNullElse(object.getMetadata().getCreationTimestamp(), "");
        var theirs = Objects.requireNonNullElse(other.object.getMetadata().getCreationTimestamp(), "");
        return mine.equals(theirs) ? name().compareTo(other.name()) > 0 : mine.compareTo(theirs) > 0;
    }

    long version() {
        return version;
    }
}
