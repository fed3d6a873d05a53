package io.portcullis.api.condition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Whether a condition holds. */
public enum ConditionStatus {
    TRUE("True"),
    FALSE("False"),
    UNKNOWN("Unknown");

    private final String wireName;

    ConditionStatus(String wireName) {
        this.wireName = wireName;
    }

    @JsonValue
    public String wireName() {
        return wireName;
    }

    public static ConditionStatus of(boolean holds) {
        return holds ? TRUE : FALSE;
    }

    /** Anything but the two certain words is uncertain. */
    @JsonCreator
    public static ConditionStatus parse(String wireName) {
        return switch (wireName) {
            case "True" -> TRUE;
            case "False" -> FALSE;
            default -> UNKNOWN;
        };
    }
}
