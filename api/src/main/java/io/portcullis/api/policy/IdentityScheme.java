package io.portcullis.api.policy;

import java.util.Arrays;
import java.util.Optional;

/**
 * Builds the unique name of a policy. The name is used for the webhook configuration, the URL segment, the prefix of
 * revision names, and the label in metrics and reports.
 */
public enum IdentityScheme {
    /** {@code kw.ap.<namespace>.<name>}: namespace names contain no dot, so unique names never collide. */
    DOTTED("dotted") {
        @Override
        public String policyId(PolicyRef policy) {
            return switch (policy.kind()) {
                case CLUSTER_ADMISSION_POLICY -> "kw.cap." + policy.name();
                case CLUSTER_ADMISSION_POLICY_GROUP -> "kw.capg." + policy.name();
                case ADMISSION_POLICY -> "kw.ap." + policy.namespace() + "." + policy.name();
                case ADMISSION_POLICY_GROUP -> "kw.apg." + policy.namespace() + "." + policy.name();
            };
        }
    },
    /**
     * The names of Kubewarden before 1.37.2, for users who depend on them. Names of different policies can collide, and then a
     * tenant could take over the traffic of another tenant. Callers must therefore check {@link IdentityConflicts}.
     */
    LEGACY("legacy") {
        @Override
        public String policyId(PolicyRef policy) {
            return switch (policy.kind()) {
                case CLUSTER_ADMISSION_POLICY -> "clusterwide-" + policy.name();
                case CLUSTER_ADMISSION_POLICY_GROUP -> "clusterwide-group-" + policy.name();
                case ADMISSION_POLICY -> "namespaced-" + policy.namespace() + "-" + policy.name();
                case ADMISSION_POLICY_GROUP -> "namespaced-group-" + policy.namespace() + "-" + policy.name();
            };
        }
    };

    private final String wireName;

    IdentityScheme(String wireName) {
        this.wireName = wireName;
    }

    public static Optional<IdentityScheme> parse(String wireName) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.wireName.equals(wireName))
                .findFirst();
    }

    /** The value of {@code --policy-identity-scheme}. */
    public String wireName() {
        return wireName;
    }

    public abstract String policyId(PolicyRef policy);
}
