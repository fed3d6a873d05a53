package io.portcullis.core.webhook;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names, annotations and paths that connect a webhook configuration with its policy. */
public final class WebhookNames {

    /** Suffix of the only entry in each configuration. */
    public static final String ENTRY_SUFFIX = ".kubewarden.admission";

    public static final String POLICY_NAME = "kubewardenPolicyName";
    public static final String POLICY_NAMESPACE = "kubewardenPolicyNamespace";
    public static final String POLICY_UID = "kubewarden.io/policy-uid";
    public static final String POLICY_GENERATION = "kubewarden.io/policy-generation";
    public static final String POLICY_SERVER = "kubewarden.io/policy-server";

    /** Annotation with the digest of the requests that the policy loses by precedence; absent when it loses none. */
    public static final String PRECEDENCE = "kubewarden.io/precedence";

    /** Label with the name of the namespace; Kubernetes sets it on every namespace. */
    public static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";

    private static final Pattern PATH = Pattern.compile("/validate/[^/]+/([1-9]\\d{0,17})");

    private WebhookNames() {}

    /** Returns the path at which a replica serves one generation of a policy. */
    public static String path(String policyId, long generation) {
        return "/validate/" + policyId + "/" + generation;
    }

    /** Returns the generation in a path; 0 when the path contains none. */
    public static long generation(@Nullable String path) {
        var matcher = PATH.matcher(path == null ? "" : path);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
