package io.portcullis.core.precedence;

import java.util.Arrays;
import java.util.Optional;

/** How a cluster-wide policy relates to namespaced policies of the same key. */
public enum MergeStrategy {
    /** Namespaced policies replace it where evidence proves that they are enforced. */
    DEFAULTS("defaults"),

    /** It replaces the namespaced policies. */
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
