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

/** The last observed state of a revision, with the queries that a server needs. */
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
        return object.statusOrEmpty();
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

    /** Present when the current verification config does not accept an initialised revision. */
    public Optional<Condition> verified() {
        return find(ConditionType.VERIFIED, Condition.NO_REPLICA);
    }

    /** Whether the revision must not run, because its signatures are not accepted. */
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

    /** Returns the highest term in which a leader has written this status; 0 if no leader has. */
    public long term() {
        return Optional.ofNullable(status().leader()).map(Leader::term).orElse(0L);
    }

    /** Returns the leader's signature of the modules in the status, if there is one. */
    public Optional<String> statement() {
        return Optional.ofNullable(status().leader()).map(Leader::statement);
    }

    /** Whether the spec pins this digest for the module. Only the controller writes the spec. */
    public boolean isPinned(Artifact artifact) {
        return spec().pinnedArtifacts().stream()
                .anyMatch(pinned -> pinned.module().equals(artifact.module())
                        && pinned.digest().equals(artifact.digest())
                        && Objects.requireNonNullElse(pinned.member(), "")
                                .equals(Objects.requireNonNullElse(artifact.member(), "")));
    }

    /** Returns the digests that the leader resolved, by member. The module of a single policy has the empty name. */
    public Map<String, String> digests() {
        var digests = new TreeMap<String, String>();
        status().artifacts()
                .forEach(artifact -> digests.put(Objects.requireNonNullElse(artifact.member(), ""), artifact.digest()));
        return digests;
    }

    /**
     * Whether this revision was created later. If both were created at the same time, the names decide. Used when two
     * revisions have the same address.
     */
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
