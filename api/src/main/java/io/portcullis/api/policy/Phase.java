package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Summary of the policy's lifecycle in one word. */
public enum Phase {
    /** No replica evaluates requests with the policy, and nothing failed: it is waiting for a server or for replicas. */
    PENDING("Pending"),
    /** The policy was changed: an older generation stays enforced while the latest one is rolled out. */
    UPDATING("Updating"),
    /**
     * The latest generation is in the webhook, and a replica is ready. The conditions report whether every replica serves
     * it.
     */
    ACTIVE("Active"),
    /** The latest generation cannot be enforced. An older one may still be enforced. */
    FAILED("Failed");

    private final String wireName;

    Phase(String wireName) {
        this.wireName = wireName;
    }

    @JsonValue
    public String wireName() {
        return wireName;
    }

    @JsonCreator
    static Phase parse(String wireName) {
        return switch (wireName) {
            case "Updating" -> UPDATING;
            case "Active" -> ACTIVE;
            case "Failed" -> FAILED;
            default -> PENDING;
        };
    }
}
