package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import java.util.List;
import java.util.Optional;

/** Reads revisions and writes the two status slots of a server: one as replica, one as leader. Thread-safe. */
public interface RevisionStatuses {

    /** The content of the leader's status slot. */
    record LeaderSlot(List<Condition> conditions, List<Artifact> artifacts, Leader leader) {}

    /** Writes the Ready condition of one replica. Removes the condition if {@code ready} is empty. */
    void writeReplica(ObservedRevision revision, int replica, Optional<Condition> ready);

    /**
     * Writes the leader's slot with the resource version of the given revision.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException with code 409 when the revision has changed since
     */
    void writeLeader(ObservedRevision revision, LeaderSlot slot);

    /** Returns the newer of the given revision and the version that this replica last wrote or read. */
    ObservedRevision newest(ObservedRevision revision);

    /** Reads the revision from the API server; empty if it does not exist. */
    Optional<ObservedRevision> read(String name);
}
