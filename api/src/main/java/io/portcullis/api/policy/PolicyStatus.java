package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Status of a policy. Only {@code io.portcullis.core.status.StatusDerivation} creates it.
 *
 * @param mode mode of the served generation; {@code unknown} when none is served
 * @param observedGeneration the generation that the controller observed
 * @param activeGeneration the generation that the webhook points at; 0: there is no webhook
 * @param activePolicyServer the server behind the webhook; differs from the spec during a move
 * @param revisions the generations whose revisions are kept, newest first
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicyStatus(
        PolicyState policyStatus,
        Phase phase,
        String mode,
        long observedGeneration,
        long activeGeneration,
        @Nullable String activePolicyServer,
        List<Condition> conditions,
        List<AncestorStatus> ancestors,
        List<RevisionSummary> revisions) {

    /** Value of {@code mode} while no generation is served. */
    public static final String MODE_UNKNOWN = "unknown";

    public PolicyStatus {
        policyStatus = policyStatus == null ? PolicyState.UNSCHEDULED : policyStatus;
        phase = phase == null ? Phase.PENDING : phase;
        mode = mode == null ? MODE_UNKNOWN : mode;
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
        ancestors = ancestors == null ? List.of() : List.copyOf(ancestors);
        revisions = revisions == null ? List.of() : List.copyOf(revisions);
    }

    /** Returns the condition of this type for the policy as a whole. */
    public Optional<Condition> condition(ConditionType type) {
        var key = new Condition.Key(type.wireName(), Condition.WHOLE_POLICY, Condition.NO_REPLICA);
        return conditions.stream()
                .filter(condition -> condition.key().equals(key))
                .findFirst();
    }
}
