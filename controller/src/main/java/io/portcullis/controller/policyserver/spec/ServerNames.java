package io.portcullis.controller.policyserver.spec;

import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServerNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Names and labels of the objects of one PolicyServer. */
public record ServerNames(String server) {

    /** Distinguishes our writes from those of others. */
    public static final String FIELD_MANAGER = "kubewarden-controller";

    /** The Role that pods of policy servers are bound to; the Helm chart creates it. */
    public static final String ROLE = "kubewarden-policy-server";

    /** The certificate authority of all servers. */
    public static final String CA_SECRET = "kubewarden-ca";

    public static final String COMPONENT = "app.kubernetes.io/component";
    static final String COMPONENT_VALUE = "policy-server";
    static final String INSTANCE = "app.kubernetes.io/instance";
    static final String MANAGED_BY = "app.kubernetes.io/managed-by";

    /** Distinguishes our pods from those of a Deployment that they replace. */
    public static final String WORKLOAD = "kubewarden.io/workload";

    public static final String WORKLOAD_VALUE = "statefulset";
    static final String APP = "app";
    public static final String CONFIG_HASH = "kubewarden.io/config-hash";

    /** Annotation of a PolicyServer: its only replica may be replaced without a second one. */
    public static final String REPLACE_IN_PLACE = "kubewarden.io/replace-in-place";

    /**
     * The name of the Service for webhooks, ConfigMap, TLS Secret, PodDisruptionBudget and Lease, and of the container.
     */
    public String main() {
        return PolicyServerNames.service(server);
    }

    public String statefulSet() {
        return PolicyServerNames.statefulSet(server);
    }

    /** The headless Service that governs the StatefulSet. */
    public String podsService() {
        return PolicyServerNames.podsService(server);
    }

    public String cacheSignerSecret() {
        return main() + "-cache-signer";
    }

    public String cacheClaim() {
        return main() + "-cache";
    }

    public String roleBinding() {
        return main() + "-lifecycle";
    }

    /** The Role, and its RoleBinding, that grants access to the server's lease. */
    public String leaseRole() {
        return main() + "-lease";
    }

    public String lease() {
        return main();
    }

    /** Labels of every object of every server. */
    public static Map<String, String> allServers() {
        var labels = new LinkedHashMap<String, String>();
        labels.put(COMPONENT, COMPONENT_VALUE);
        labels.put(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE);
        labels.put(MANAGED_BY, FIELD_MANAGER);
        return labels;
    }

    /** Labels of every object of this server. */
    public Map<String, String> common() {
        var labels = new LinkedHashMap<>(allServers());
        labels.put(INSTANCE, main());
        return labels;
    }

    /** The user's labels, overridden by ours. */
    public Map<String, String> workload(Map<String, String> wanted) {
        var labels = new LinkedHashMap<>(wanted);
        labels.putAll(common());
        labels.put(PolicyServerNames.POD_LABEL, server);
        return labels;
    }

    public Map<String, String> pod(Map<String, String> wanted) {
        var labels = workload(wanted);
        labels.put(APP, "kubewarden-policy-server-" + server);
        labels.put(WORKLOAD, WORKLOAD_VALUE);
        return labels;
    }

    /** Labels that all pods of this server have, and no pods of other servers. */
    public Map<String, String> selector() {
        var labels = new LinkedHashMap<String, String>();
        labels.put(INSTANCE, main());
        labels.put(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE);
        labels.put(PolicyServerNames.POD_LABEL, server);
        return labels;
    }

    /** The selector in the format of the scale subresource. */
    public String selectorText() {
        return selector().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }
}
