package io.portcullis.api.policies;

import org.jspecify.annotations.Nullable;

/** Whether the policy server enforces the verdict of a policy. */
public enum PolicyMode {
    /** The server returns the verdict to the API server. */
    PROTECT("protect"),
    /** The server allows every request. It only logs and counts the verdicts. */
    MONITOR("monitor");

    private final String wireName;

    PolicyMode(String wireName) {
        this.wireName = wireName;
    }

    /** Reads {@code spec.mode}. Everything except {@code monitor} protects, as in the policy server. */
    public static PolicyMode of(@Nullable String wireName) {
        return MONITOR.wireName.equals(wireName) ? MONITOR : PROTECT;
    }

    public String wireName() {
        return wireName;
    }
}
