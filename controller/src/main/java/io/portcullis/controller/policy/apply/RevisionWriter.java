package io.portcullis.controller.policy.apply;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.controller.cluster.ApiWriter;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a revision's enabled and active switches, and its status slots. */
public final class RevisionWriter {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final ApiWriter api;
    private final Clock clock;

    public RevisionWriter(ApiWriter api, Clock clock) {
        this.api = api;
        this.clock = clock;
    }

    PolicyRevision create(PolicyRevision revision) {
        return api.create(revision);
    }

    void enable(PolicyRevision revision) {
        var change = annotation(RevisionNames.DISABLE_AFTER, null);
        change.putObject("spec").put("enabled", true);
        api.change(revision, change);
    }

    void disable(PolicyRevision revision) {
        var change = annotation(RevisionNames.DISABLE_AFTER, null);
        change.putObject("spec").put("enabled", false).put("active", false);
        api.change(revision, change);
    }

    void activate(PolicyRevision revision) {
        var change = ApiWriter.object();
        change.putObject("spec").put("active", true);
        api.change(revision, change);
    }

    void stamp(PolicyRevision revision, String annotation, Instant at) {
        api.change(revision, annotation(annotation, at.toString()));
    }

    void delete(PolicyRevision revision) {
        api.delete(revision);
    }

    private static ObjectNode annotation(String name, @Nullable String value) {
        var change = ApiWriter.object();
        change.withObjectProperty("metadata").withObjectProperty("annotations").put(name, value);
        return change;
    }

    /** Applies the controller's own slot. */
    public PolicyRevision applyCounts(
            PolicyRevision revision,
            @Nullable String activatedAt,
            @Nullable String deactivatedAt,
            @Nullable Integer readyReplicas,
            @Nullable Integer replicas) {
        var status = MAPPER.<ObjectNode>valueToTree(new PolicyRevisionStatus(
                List.of(), List.of(), null, activatedAt, deactivatedAt, readyReplicas, replicas));
        status.remove(List.of("conditions", "artifacts"));
        return api.applyStatus(revision, RevisionSlots.CONTROLLER, status);
    }

    /** Applies the leader's slot while there is no leader: one condition, and the artifacts, which rollbacks need. */
    public PolicyRevision applyScheduled(PolicyRevision revision, Condition scheduled) {
        var status = conditions(revision, scheduled);
        var current = revision.statusOrEmpty();
        if (!current.artifacts().isEmpty()) {
            status.set("artifacts", MAPPER.valueToTree(current.artifacts()));
        }
        if (current.leader() != null) {
            status.set("leader", MAPPER.valueToTree(current.leader()));
        }
        return api.applyStatusIfUnchanged(revision, RevisionSlots.LEADER, status);
    }

    /** Applies a replica's slot on behalf of the replica. */
    public PolicyRevision applyReady(PolicyRevision revision, Condition ready) {
        return api.applyStatusIfUnchanged(
                revision, RevisionSlots.replica(ready.replica()), conditions(revision, ready));
    }

    /** Applies an empty slot, which removes exactly the fields that the slot owned. */
    public PolicyRevision clearReady(PolicyRevision revision, int replica) {
        return api.applyStatusIfUnchanged(revision, RevisionSlots.replica(replica), ApiWriter.object());
    }

    private ObjectNode conditions(PolicyRevision revision, Condition condition) {
        var status = ApiWriter.object();
        status.set(
                "conditions",
                MAPPER.valueToTree(Transitions.stamp(
                        List.of(condition), revision.statusOrEmpty().conditions(), clock.instant())));
        return status;
    }
}
