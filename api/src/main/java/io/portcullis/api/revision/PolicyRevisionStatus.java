package io.portcullis.api.revision;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.portcullis.api.condition.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rollout status of a revision. Each field belongs to one role, see {@link RevisionSlots}.
 *
 * @param activatedAt when a webhook first pointed at the revision
 * @param deactivatedAt when the revision was disabled after it had been active
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicyRevisionStatus(
        List<Condition> conditions,
        List<Artifact> artifacts,
        @Nullable Leader leader,
        @Nullable String activatedAt,
        @Nullable String deactivatedAt,
        @Nullable Integer readyReplicas,
        @Nullable Integer replicas) {

    public static final PolicyRevisionStatus EMPTY =
            new PolicyRevisionStatus(List.of(), List.of(), null, null, null, null, null);

    public PolicyRevisionStatus {
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
        artifacts = artifacts == null ? List.of() : List.copyOf(artifacts);
    }

    /** A module as the leader resolved it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Artifact(@Nullable String member, String module, String digest, long size) {}

    /**
     * The leader that prepared the revision.
     *
     * @param term transitions of the lease, used as fencing term; a leader stops when the stored term is higher than its own
     * @param statement signature of the digests in {@code artifacts}; replicas verify it before they fetch a module
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Leader(
            String identity, long term, @Nullable String statement) {

        public Leader(String identity, long term) {
            this(identity, term, null);
        }
    }
}
