package io.portcullis.api.webhook;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names by which a webhook configuration leads back to its policy. */
public final class WebhookNames {

    /** Suffix of the only entry in each configuration. */
    public static final String ENTRY_SUFFIX = ".kubewarden.admission";

    public static final String POLICY_NAME = "kubewardenPolicyName";
    public static final String POLICY_NAMESPACE = "kubewardenPolicyNamespace";
    public static final String POLICY_UID = "kubewarden.io/policy-uid";
    public static final String POLICY_GENERATION = "kubewarden.io/policy-generation";
    public static final String POLICY_SERVER = "kubewarden.io/policy-server";

    /** Digest of what precedence takes from the policy; absent when that is nothing. */
    public static final String PRECEDENCE = "kubewarden.io/precedence";

    /** Label that every namespace has. */
    public static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";

    private static final Pattern PATH = Pattern.compile("/validate/[^/]+/([1-9]\\d{0,17})");

    private WebhookNames() {}

    /** Where a replica serves one generation of a policy. */
    public static String path(String policyId, long generation) {
        return "/validate/" + policyId + "/" + generation;
    }

    /** The generation that a path leads to; 0 when it names none. */
    public static long generation(@Nullable String path) {
        var matcher = PATH.matcher(path == null ? "" : path);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
