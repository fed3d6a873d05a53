package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The field {@code status.policyStatus}: the state of a policy in the controller.
 *
 * <pre>
 *             policyServer set          PolicyServer appears
 * UNSCHEDULED ───────────────► SCHEDULED ──────────────► PENDING ◄────┐ rollout, update
 *             ◄───────────────           ◄──────────────    │         │
 *             policyServer cleared      PolicyServer gone   └────► ACTIVE ──► SCHEDULED when the server goes
 * </pre>
 */
public enum PolicyState {
    /** The policy names no policy server. */
    UNSCHEDULED("unscheduled"),
    /** The named server does not exist or is being deleted. */
    SCHEDULED("scheduled"),
    /** The server exists; the latest generation is not enforced yet. */
    PENDING("pending"),
    /** All replicas have loaded the latest generation, and its webhook is registered. */
    ACTIVE("active");

    private final String wireName;

    PolicyState(String wireName) {
        this.wireName = wireName;
    }

    @JsonValue
    public String wireName() {
        return wireName;
    }

    @JsonCreator
    static PolicyState parse(String wireName) {
        return switch (wireName) {
            case "scheduled" -> SCHEDULED;
            case "pending" -> PENDING;
            case "active" -> ACTIVE;
            default -> UNSCHEDULED;
        };
    }
}
