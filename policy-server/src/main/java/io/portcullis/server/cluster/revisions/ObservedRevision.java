package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** A revision as it was last seen, and the questions that a server asks of it. */
public record ObservedRevision(PolicyRevision object) {

    public String name() {
        return object.getMetadata().getName();
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
        return spec().enabled() && object.getMetadata().getDeletionTimestamp() == null;
    }

    public boolean isActive() {
        return isEnabled() && spec().active();
    }

    public PolicyRevisionStatus status() {
        return Objects.requireNonNullElse(object.getStatus(), PolicyRevisionStatus.EMPTY);
    }

    public Optional<Condition> scheduled() {
        return find(ConditionType.SCHEDULED, Condition.NO_REPLICA);
    }

    public Optional<Condition> initialized() {
        return find(ConditionType.INITIALIZED, Condition.NO_REPLICA);
    }

    public boolean isInitialized() {
        return initialized().filter(Condition::isTrue).isPresent();
    }

    /** Present when the present verification config does not accept what was initialised before. */
    public Optional<Condition> verified() {
        return find(ConditionType.VERIFIED, Condition.NO_REPLICA);
    }

    /** Whether it must not run: its signatures are not accepted. */
    public boolean isRefused() {
        return initialized()
                .filter(condition -> condition.isFalse()
                        && condition.reason().equals(Reason.SIGNATURE_VERIFICATION_ERROR.wireName()))
                .isPresent();
    }

    public Optional<Condition> ready(int replica) {
        return find(ConditionType.READY, replica);
    }

    private Optional<Condition> find(ConditionType type, int replica) {
        var key = new Condition.Key(type.wireName(), generation(), replica);
        return status().conditions().stream()
                .filter(condition -> condition.key().equals(key))
                .findFirst();
    }

    /** The highest term in which a leader has written here; 0: none has. */
    public long term() {
        return Optional.ofNullable(status().leader()).map(Leader::term).orElse(0L);
    }

    /** The leader's signature of the modules in the status, if there is one. */
    public Optional<String> statement() {
        return Optional.ofNullable(status().leader()).map(Leader::statement);
    }

    /** Whether the revision itself, which only the controller writes, names these bytes for a module. */
    public boolean isPinned(Artifact artifact) {
        return spec().pinnedArtifacts().stream()
                .anyMatch(pinned -> pinned.module().equals(artifact.module())
                        && pinned.digest().equals(artifact.digest())
                        && Objects.requireNonNullElse(pinned.member(), "")
                                .equals(Objects.requireNonNullElse(artifact.member(), "")));
    }

    /** The modules as the leader resolved them, by member; that of a single policy stands under the empty name. */
    public Map<String, String> digests() {
        var digests = new TreeMap<String, String>();
        status().artifacts()
                .forEach(artifact -> digests.put(Objects.requireNonNullElse(artifact.member(), ""), artifact.digest()));
        return digests;
    }

    /** Of two revisions that claim the same address the one that was created later, by name if at the same time. */
    public boolean isYoungerThan(ObservedRevision other) {
        var mine = Objects.requireNonNullElse(object.getMetadata().getCreationTimestamp(), "");
        var theirs = Objects.requireNonNullElse(other.object.getMetadata().getCreationTimestamp(), "");
        return mine.equals(theirs) ? name().compareTo(other.name()) > 0 : mine.compareTo(theirs) > 0;
    }

    long version() {
        try {
            return Long.parseLong(object.getMetadata().getResourceVersion());
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
