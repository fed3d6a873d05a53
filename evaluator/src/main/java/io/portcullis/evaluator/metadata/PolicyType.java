package io.portcullis.evaluator.metadata;

/** What kind of requests a policy is made for. Informative: any policy answers on every endpoint. */
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
