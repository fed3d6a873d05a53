package io.portcullis.controller.policy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.api.revision.RevisionSlots;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns a revision's switches and writes its status slots. */
final class RevisionWriter {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final ApiWriter api;
    private final Clock clock;

    RevisionWriter(ApiWriter api, Clock clock) {
        this.api = api;
        this.clock = clock;
    }

    /** The server whose replicas select the revision. */
    static String policyServer(PolicyRevision revision) {
        return Objects.requireNonNullElse(revision.getMetadata().getLabels().get(RevisionNames.POLICY_SERVER), "");
    }

    static PolicyRevisionStatus status(PolicyRevision revision) {
        return Objects.requireNonNullElse(revision.getStatus(), PolicyRevisionStatus.EMPTY);
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

    /** The controller's own slot. */
    PolicyRevision applyCounts(
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

    /** The leader's slot while there is none: one condition, and the artifacts, which rollbacks go back to. */
    PolicyRevision applyScheduled(PolicyRevision revision, Condition scheduled) {
        var status = conditions(revision, scheduled);
        var known = status(revision);
        if (!known.artifacts().isEmpty()) {
            status.set("artifacts", MAPPER.valueToTree(known.artifacts()));
        }
        if (known.leader() != null) {
            status.set("leader", MAPPER.valueToTree(known.leader()));
        }
        return api.applyStatusIfUnchanged(revision, RevisionSlots.LEADER, status);
    }

    /** A replica's slot in its stead. */
    PolicyRevision applyReady(PolicyRevision revision, Condition ready) {
        return api.applyStatusIfUnchanged(
                revision, RevisionSlots.replica(ready.replica()), conditions(revision, ready));
    }

    /** An empty slot removes exactly what was in it. */
    PolicyRevision clearReady(PolicyRevision revision, int replica) {
        return api.applyStatusIfUnchanged(revision, RevisionSlots.replica(replica), ApiWriter.object());
    }

    private ObjectNode conditions(PolicyRevision revision, Condition condition) {
        var status = ApiWriter.object();
        status.set(
                "conditions",
                MAPPER.valueToTree(
                        Transitions.stamp(List.of(condition), status(revision).conditions(), clock.instant())));
        return status;
    }
}
