package io.portcullis.api.revision;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frozen content of a policy's generation, and the two switches that the controller sets.
 *
 * @param policyID the policy's unique name, used verbatim as URL segment
 * @param enabled whether replicas serve the revision
 * @param active a webhook points at the revision, or did within the drain time; a replica without the revision is not ready
 * @param data {@code {"spec": …}} of the policy; immutable
 * @param dataHash digest of {@code data}; immutability is enforced by it
 * @param pinnedArtifacts modules by digest; set on rollback, so that a moved tag has no effect
 * @param rollbackOf the generation whose content this one restores
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicyRevisionSpec(
        PolicyReference objectReference,
        long policyGeneration,
        String policyID,
        boolean enabled,
        boolean active,
        ObjectNode data,
        String dataHash,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PinnedArtifact> pinnedArtifacts,
        @Nullable Long rollbackOf) {

    static final PolicyRevisionSpec EMPTY = new PolicyRevisionSpec(
            new PolicyReference("", "", null, "", ""),
            0,
            "",
            false,
            false,
            JsonNodeFactory.instance.objectNode(),
            "",
            List.of(),
            null);

    public PolicyRevisionSpec {
        pinnedArtifacts = pinnedArtifacts == null ? List.of() : List.copyOf(pinnedArtifacts);
    }

    /** The policy that the revision belongs to. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PolicyReference(
            String apiVersion, String kind, @Nullable String namespace, String name, String uid) {}

    /** A module and the digest that it must resolve to. {@code member} is the group member that uses it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PinnedArtifact(@Nullable String member, String module, String digest) {}

    /** Reads a spec. An absent {@code enabled} means true, as in the schema. */
    @JsonCreator
    static PolicyRevisionSpec read(
            @JsonProperty("objectReference") PolicyReference objectReference,
            @JsonProperty("policyGeneration") long policyGeneration,
            @JsonProperty("policyID") String policyID,
            @JsonProperty("enabled") @Nullable Boolean enabled,
            @JsonProperty("active") boolean active,
            @JsonProperty("data") @Nullable ObjectNode data,
            @JsonProperty("dataHash") String dataHash,
            @JsonProperty("pinnedArtifacts") @Nullable List<PinnedArtifact> pinnedArtifacts,
            @JsonProperty("rollbackOf") @Nullable Long rollbackOf) {
        return new PolicyRevisionSpec(
                objectReference,
                policyGeneration,
                policyID,
                !Boolean.FALSE.equals(enabled),
                active,
                data == null ? JsonNodeFactory.instance.objectNode() : data,
                dataHash,
                pinnedArtifacts == null ? List.of() : pinnedArtifacts,
                rollbackOf);
    }

    /** Returns the frozen spec of the policy. */
    @JsonIgnore
    public ObjectNode policySpec() {
        return data.path("spec") instanceof ObjectNode spec ? spec : JsonNodeFactory.instance.objectNode();
    }

    /** Returns whether the content is unchanged since it was frozen. Every reader checks this before use. */
    @JsonIgnore
    public boolean isIntact() {
        return CanonicalJson.digest(data).equals(dataHash);
    }
}
