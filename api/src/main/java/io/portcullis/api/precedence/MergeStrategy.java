package io.portcullis.api.precedence;

import java.util.Arrays;
import java.util.Optional;

/** What a cluster-wide policy is to the namespaces' policies of the same key. */
public enum MergeStrategy {
    /** They judge in its stead, where they prove that they do. */
    DEFAULTS("defaults"),

    /** It judges in theirs. */
    OVERRIDES("overrides");

    private final String wireName;

    MergeStrategy(String wireName) {
        this.wireName = wireName;
    }

    public static Optional<MergeStrategy> parse(String wireName) {
        return Arrays.stream(values())
                .filter(strategy -> strategy.wireName.equals(wireName))
                .findFirst();
    }

    public String wireName() {
        return wireName;
    }
}
