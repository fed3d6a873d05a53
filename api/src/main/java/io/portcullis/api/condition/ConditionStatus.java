package io.portcullis.api.condition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** The status of a condition: True, False or Unknown. */
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

    /** Reads a status. Every value except {@code True} and {@code False} becomes {@link #UNKNOWN}. */
    @JsonCreator
    public static ConditionStatus parse(String wireName) {
        return switch (wireName) {
            case "True" -> TRUE;
            case "False" -> FALSE;
            default -> UNKNOWN;
        };
    }
}
