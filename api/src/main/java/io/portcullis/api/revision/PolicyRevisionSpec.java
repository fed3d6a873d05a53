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
 * The frozen content of a policy's generation, and the two switches that the controller turns.
 *
 * @param policyID the policy's unique name, used verbatim as URL segment
 * @param enabled replicas serve it
 * @param active a webhook refers to it, or did within the drain window; a replica without it is not ready
 * @param data {@code {"spec": …}} of the policy; never changes
 * @param dataHash digest of {@code data}; what immutability is enforced on
 * @param pinnedArtifacts modules by digest, filled on rollback so that a moved tag does not matter
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

    /** A module with the bytes it must resolve to; {@code member} names the group member it is for. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PinnedArtifact(@Nullable String member, String module, String digest) {}

    /** A field that is absent is enabled, as in the schema. */
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

    /** The policy's spec as it was. */
    @JsonIgnore
    public ObjectNode policySpec() {
        return data.path("spec") instanceof ObjectNode spec ? spec : JsonNodeFactory.instance.objectNode();
    }

    /** Whether the content is what it was when it was frozen; every reader asks before using it. */
    @JsonIgnore
    public boolean isIntact() {
        return CanonicalJson.digest(data).equals(dataHash);
    }
}
