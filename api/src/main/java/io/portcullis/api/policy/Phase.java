package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Summary of the policy's lifecycle in one word. */
public enum Phase {
    /** The policy is not enforced yet. */
    PENDING("Pending"),
    /** An older generation stays enforced while a newer one is rolled out. */
    UPDATING("Updating"),
    /** The latest generation is enforced on all replicas. */
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
