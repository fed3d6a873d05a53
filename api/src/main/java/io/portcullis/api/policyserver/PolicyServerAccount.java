package io.portcullis.api.policyserver;

import java.util.Map;
import java.util.Optional;

/**
 * Decides which service accounts a PolicyServer may use. The author of a PolicyServer must not get the permissions of any
 * account in the namespace: an administrator of the namespace allows an account by a label. The controller's own account is
 * never allowed.
 */
public final class PolicyServerAccount {

    /** The label on a ServiceAccount that allows PolicyServers to use it; the value is {@code true}. */
    public static final String LABEL = "kubewarden.io/allow-policy-servers";

    /** The account of PolicyServers that name none. It needs no label. */
    public static final String DEFAULT = "default";

    private PolicyServerAccount() {}

    /**
     * Returns why a PolicyServer may not use the account; empty: it may.
     *
     * @param labels of the ServiceAccount; empty when it does not exist
     * @param controller user name of the controller, {@code system:serviceaccount:<namespace>:<name>}
     */
    public static Optional<String> problem(
            String name, Optional<Map<String, String>> labels, String namespace, String controller) {
        if (controller.equals("system:serviceaccount:" + namespace + ":" + name)) {
            return Optional.of("is the account of the controller, which no PolicyServer may use");
        }
        if (name.equals(DEFAULT)) {
            return Optional.empty();
        }
        if (labels.isEmpty()) {
            return Optional.of("ServiceAccount %s does not exist in namespace %s".formatted(name, namespace));
        }
        return "true".equals(labels.get().get(LABEL))
                ? Optional.empty()
                : Optional.of(
                        "ServiceAccount %s is not allowed for PolicyServers; an administrator of namespace %s can allow it with the label %s=true"
                                .formatted(name, namespace, LABEL));
    }
}
