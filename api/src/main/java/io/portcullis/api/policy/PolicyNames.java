package io.portcullis.api.policy;

/** Labels, annotations and the finalizer that stand on policies. */
public final class PolicyNames {

    /** Present exactly while a webhook of the policy may exist. */
    public static final String FINALIZER = "kubewarden.io/finalizer";

    /** Set by releases before 1.14; we only ever remove it. */
    public static final String LEGACY_FINALIZER = "kubewarden";

    /** Asks for a rollback: a generation, or {@code previous}. */
    public static final String ROLLBACK_TO = "kubewarden.io/rollback-to";

    /** Says that a generation restores another, as {@code <generation>:<restored generation>}; set with the restored spec. */
    public static final String ROLLED_BACK = "kubewarden.io/rolled-back";

    /** On cluster-wide policies: {@code defaults} or {@code overrides} for the namespaces' policies of the same key. */
    public static final String MERGE_STRATEGY = "kubewarden.io/merge-strategy";

    /** Which policies belong together in precedence. */
    public static final String POLICY_KEY = "kubewarden.io/policy-key";

    public static final String SEVERITY = "io.kubewarden.policy.severity";
    public static final String CATEGORY = "io.kubewarden.policy.category";
    public static final String TITLE = "io.artifacthub.displayName";
    public static final String DESCRIPTION = "io.kubewarden.policy.description";

    /** On every object that we make. */
    public static final String PART_OF = "app.kubernetes.io/part-of";

    public static final String PART_OF_VALUE = "kubewarden";

    private PolicyNames() {}
}
