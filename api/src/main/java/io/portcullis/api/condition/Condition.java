package io.portcullis.api.condition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One condition in the status of a policy or a revision. Type, generation and replica identify an entry, so that replicas
 * and generations never overwrite each other.
 *
 * @param generation generation of the policy that the condition describes; 0: the policy as a whole
 * @param replica ordinal of the replica that the condition describes; -1: no particular replica
 * @param observedGeneration the generation that the controller observed; set when {@code generation} is 0
 * @param lastTransitionTime when {@code status} last changed; absent until {@link Transitions} sets it
 * @param reporterUID UID of the pod that reported the condition; identifies a stale report
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

    /** The fields that identify an entry of the list. */
    public record Key(String type, long generation, int replica) {}

    /** Reads a stored condition. Conditions of earlier releases lack {@code generation} and {@code replica}. */
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

    /** Creates a condition of the policy as a whole, as observed at {@code observedGeneration}. */
    public static Condition ofPolicy(
            ConditionType type, ConditionStatus status, String reason, String message, long observedGeneration) {
        return new Condition(
                type.wireName(), status, reason, message, WHOLE_POLICY, NO_REPLICA, observedGeneration, null, null);
    }

    /** Creates a condition of one generation, independent of the replica. */
    public static Condition ofGeneration(
            ConditionType type, long generation, ConditionStatus status, Reason reason, String message) {
        return new Condition(
                type.wireName(), status, reason.wireName(), message, generation, NO_REPLICA, null, null, null);
    }

    /** Creates the Ready condition of one generation on one replica. */
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
