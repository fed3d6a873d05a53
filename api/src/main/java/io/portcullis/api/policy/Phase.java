package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Where a policy is in its life, in one word. */
public enum Phase {
    /** Not in use yet. */
    PENDING("Pending"),
    /** An enforced version goes on serving while something newer is rolled out. */
    UPDATING("Updating"),
    /** The latest version is in use everywhere. */
    ACTIVE("Active"),
    /** The latest version cannot be used; an older one may still be. */
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
