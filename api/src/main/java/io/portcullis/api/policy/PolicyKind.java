package io.portcullis.api.policy;

import java.util.Arrays;
import java.util.Optional;

/** The four kinds of policies. What differs between them is said here; everything else is one code path. */
public enum PolicyKind {
    ADMISSION_POLICY("AdmissionPolicy", "admissionpolicies", "ap", true, false),
    CLUSTER_ADMISSION_POLICY("ClusterAdmissionPolicy", "clusteradmissionpolicies", "cap", false, false),
    ADMISSION_POLICY_GROUP("AdmissionPolicyGroup", "admissionpolicygroups", "apg", true, true),
    CLUSTER_ADMISSION_POLICY_GROUP("ClusterAdmissionPolicyGroup", "clusteradmissionpolicygroups", "capg", false, true);

    /** API group of all our resources. */
    public static final String GROUP = "policies.kubewarden.io";

    /** The version we store and speak. */
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

    public String wireName() {
        return wireName;
    }

    public String plural() {
        return plural;
    }

    public String shortName() {
        return shortName;
    }

    /** Belongs to a tenant: sees only its own namespace and reads nothing from the cluster. */
    public boolean isNamespaced() {
        return namespaced;
    }

    /** Made of member policies and an expression instead of one module. */
    public boolean isGroup() {
        return group;
    }
}
