package io.portcullis.api.webhook;

/** Names by which a webhook configuration leads back to its policy. */
public final class WebhookNames {

    /** Suffix of the only entry in each configuration. */
    public static final String ENTRY_SUFFIX = ".kubewarden.admission";

    public static final String POLICY_NAME = "kubewardenPolicyName";
    public static final String POLICY_NAMESPACE = "kubewardenPolicyNamespace";
    public static final String POLICY_UID = "kubewarden.io/policy-uid";
    public static final String POLICY_GENERATION = "kubewarden.io/policy-generation";
    public static final String POLICY_SERVER = "kubewarden.io/policy-server";

    /** Label that every namespace has. */
    public static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";

    private WebhookNames() {}

    /** Where a replica serves one generation of a policy. */
    public static String path(String policyId, long generation) {
        return "/validate/" + policyId + "/" + generation;
    }
}
