package io.portcullis.api.policies;

/** Whether a verdict counts. */
public enum PolicyMode {
    /** Rejections reject. */
    PROTECT("protect"),
    /** Everything is allowed, verdicts are only logged and counted. */
    MONITOR("monitor");

    private final String wireName;

    PolicyMode(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }
}
