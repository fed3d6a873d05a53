package io.portcullis.api.condition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One statement in the status of a policy or a revision. Entries are told apart by type, generation and replica, so that
 * replicas and generations never overwrite each other.
 *
 * @param generation generation of the policy it speaks of; 0: the policy as a whole
 * @param replica ordinal of the replica that it speaks of; -1: none in particular
 * @param observedGeneration set when {@code generation} is 0: the generation that was looked at
 * @param lastTransitionTime when {@code status} last changed; absent until {@link Transitions} stamps it
 * @param reporterUID the pod that reported, by which a stale report is recognised
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Condition(
        String type,
        ConditionStatus status,
        String reason,
        String message,
        long generation,
        int replica,
        @Nullable Long observedGeneration,
        @Nullable String lastTransitionTime,
        @Nullable String reporterUID) {

    public static final long WHOLE_POLICY = 0;
    public static final int NO_REPLICA = -1;

    /** What makes an entry of the list unique. */
    public record Key(String type, long generation, int replica) {}

    /** Conditions stored before generations existed lack the two keys. */
    @JsonCreator
    static Condition read(
            @JsonProperty("type") String type,
            @JsonProperty("status") ConditionStatus status,
            @JsonProperty("reason") @Nullable String reason,
            @JsonProperty("message") @Nullable String message,
            @JsonProperty("generation") @Nullable Long generation,
            @JsonProperty("replica") @Nullable Integer replica,
            @JsonProperty("observedGeneration") @Nullable Long observedGeneration,
            @JsonProperty("lastTransitionTime") @Nullable String lastTransitionTime,
            @JsonProperty("reporterUID") @Nullable String reporterUID) {
        return new Condition(
                type,
                status,
                Objects.requireNonNullElse(reason, ""),
                Objects.requireNonNullElse(message, ""),
                Objects.requireNonNullElse(generation, WHOLE_POLICY),
                Objects.requireNonNullElse(replica, NO_REPLICA),
                observedGeneration,
                lastTransitionTime,
                reporterUID);
    }

    /** About the policy as a whole, as seen at {@code observedGeneration}. */
    public static Condition ofPolicy(
            ConditionType type, ConditionStatus status, String reason, String message, long observedGeneration) {
        return new Condition(
                type.wireName(), status, reason, message, WHOLE_POLICY, NO_REPLICA, observedGeneration, null, null);
    }

    /** About one generation, whoever serves it. */
    public static Condition ofGeneration(
            ConditionType type, long generation, ConditionStatus status, Reason reason, String message) {
        return new Condition(
                type.wireName(), status, reason.wireName(), message, generation, NO_REPLICA, null, null, null);
    }

    /** About one generation on one replica. */
    public static Condition ofReplica(
            long generation, int replica, ConditionStatus status, Reason reason, String message) {
        return new Condition(
                ConditionType.READY.wireName(),
                status,
                reason.wireName(),
                message,
                generation,
                replica,
                null,
                null,
                null);
    }

    @JsonIgnore
    public Key key() {
        return new Key(type, generation, replica);
    }

    @JsonIgnore
    public boolean isTrue() {
        return status == ConditionStatus.TRUE;
    }

    @JsonIgnore
    public boolean isFalse() {
        return status == ConditionStatus.FALSE;
    }

    public Condition reportedBy(String podUid) {
        return new Condition(
                type, status, reason, message, generation, replica, observedGeneration, lastTransitionTime, podUid);
    }

    Condition at(String time) {
        return new Condition(type, status, reason, message, generation, replica, observedGeneration, time, reporterUID);
    }
}
