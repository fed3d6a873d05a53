package io.portcullis.evaluator.metadata;

/** The kind of requests that a policy is made for. Informative: every policy answers on every endpoint. */
public enum PolicyType {
    KUBERNETES("kubernetes"),
    RAW("raw");

    private final String wireName;

    PolicyType(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }
}
