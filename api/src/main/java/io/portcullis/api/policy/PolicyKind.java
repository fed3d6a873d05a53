package io.portcullis.api.policy;

import java.util.Arrays;
import java.util.Optional;

/** The four policy kinds and their differences. All other code is common to the four kinds. */
public enum PolicyKind {
    ADMISSION_POLICY("AdmissionPolicy", "admissionpolicies", "ap", true, false),
    CLUSTER_ADMISSION_POLICY("ClusterAdmissionPolicy", "clusteradmissionpolicies", "cap", false, false),
    ADMISSION_POLICY_GROUP("AdmissionPolicyGroup", "admissionpolicygroups", "apg", true, true),
    CLUSTER_ADMISSION_POLICY_GROUP("ClusterAdmissionPolicyGroup", "clusteradmissionpolicygroups", "capg", false, true);

    /** API group of all Portcullis resources. */
    public static final String GROUP = "policies.kubewarden.io";

    /** API version that is stored and served. */
    public static final String VERSION = "v1";

    private final String wireName;
    private final String plural;
    private final String shortName;
    private final boolean namespaced;
    private final boolean group;

    PolicyKind(String wireName, String plural, String shortName, boolean namespaced, boolean group) {
        this.wireName = wireName;
        this.plural = plural;
        this.shortName = shortName;
        this.namespaced = namespaced;
        this.group = group;
    }

    public static Optional<PolicyKind> parse(String wireName) {
        return Arrays.stream(values())
                .filter(kind -> kind.wireName.equals(wireName))
                .findFirst();
    }

    public static PolicyKind of(Policy policy) {
        return switch (policy) {
            case AdmissionPolicy _ -> ADMISSION_POLICY;
            case ClusterAdmissionPolicy _ -> CLUSTER_ADMISSION_POLICY;
            case AdmissionPolicyGroup _ -> ADMISSION_POLICY_GROUP;
            case ClusterAdmissionPolicyGroup _ -> CLUSTER_ADMISSION_POLICY_GROUP;
        };
    }

    /** Returns the resource type of this kind. */
    public Class<? extends Policy> type() {
        return switch (this) {
            case ADMISSION_POLICY -> AdmissionPolicy.class;
            case CLUSTER_ADMISSION_POLICY -> ClusterAdmissionPolicy.class;
            case ADMISSION_POLICY_GROUP -> AdmissionPolicyGroup.class;
            case CLUSTER_ADMISSION_POLICY_GROUP -> ClusterAdmissionPolicyGroup.class;
        };
    }

    public String wireName() {
        return wireName;
    }

    public String plural() {
        return plural;
    }

    public String shortName() {
        return shortName;
    }

    /** Returns whether the kind belongs to a tenant: it evaluates only its own namespace, and reads at most that namespace. */
    public boolean isNamespaced() {
        return namespaced;
    }

    /** Returns whether the kind has {@code contextAwareResources}, for itself or for its members. */
    public boolean grantsContext() {
        return group || !namespaced;
    }

    /** Returns whether the kind has member policies and an expression instead of one module. */
    public boolean isGroup() {
        return group;
    }
}
