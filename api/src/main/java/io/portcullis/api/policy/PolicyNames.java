package io.portcullis.api.policy;

/** Labels, annotations and finalizers of policies. */
public final class PolicyNames {

    /** Finalizer that is present exactly while a webhook of the policy may exist. */
    public static final String FINALIZER = "kubewarden.io/finalizer";

    /** Finalizer of releases before 1.14. Portcullis only removes it. */
    public static final String LEGACY_FINALIZER = "kubewarden";

    /** Annotation that requests a rollback: a generation, or {@code previous}. */
    public static final String ROLLBACK_TO = "kubewarden.io/rollback-to";

    /** Annotation {@code <generation>:<restored generation>} of a rollback; written together with the restored spec. */
    public static final String ROLLED_BACK = "kubewarden.io/rolled-back";

    /** Annotation of cluster-wide policies: {@code defaults} or {@code overrides} for namespaced policies of the same key. */
    public static final String MERGE_STRATEGY = "kubewarden.io/merge-strategy";

    /** Annotation with the key that groups policies for precedence. */
    public static final String POLICY_KEY = "kubewarden.io/policy-key";

    public static final String SEVERITY = "io.kubewarden.policy.severity";
    public static final String CATEGORY = "io.kubewarden.policy.category";
    public static final String TITLE = "io.artifacthub.displayName";
    public static final String DESCRIPTION = "io.kubewarden.policy.description";

    /** Label of every object that Portcullis creates. */
    public static final String PART_OF = "app.kubernetes.io/part-of";

    public static final String PART_OF_VALUE = "kubewarden";

    private PolicyNames() {}
}
