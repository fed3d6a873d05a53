package io.portcullis.api.policies;

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

    public String wireName() {
        return wireName;
    }
}
