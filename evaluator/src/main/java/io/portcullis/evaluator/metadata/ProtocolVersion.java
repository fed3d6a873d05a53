package io.portcullis.evaluator.metadata;

/** The version of the guest contract. */
public enum ProtocolVersion {
    V1("v1"),
    UNKNOWN("Unknown");

    private final String wireName;

    ProtocolVersion(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }
}
