package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import java.util.List;
import java.util.Optional;

/** The status of revisions, as far as the two roles of a server read and write it. Thread-safe. */
public interface RevisionStatuses {

    /** What the leader says of a revision. */
    record LeaderSlot(List<Condition> conditions, List<Artifact> artifacts, Leader leader) {}

    /** Says how one replica is doing with a revision; nothing: that it has nothing to do with it any more. */
    void writeReplica(ObservedRevision revision, int replica, Optional<Condition> ready);

    /**
     * Writes the leader's slot on top of exactly the version that was decided on.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException with code 409 when it has changed since
     */
    void writeLeader(ObservedRevision revision, LeaderSlot slot);

    /** The revision as it was when this replica last wrote it, or as given if that is later. */
    ObservedRevision newest(ObservedRevision revision);

    /** The revision as it is now, unless it is gone. */
    Optional<ObservedRevision> read(String name);
}
