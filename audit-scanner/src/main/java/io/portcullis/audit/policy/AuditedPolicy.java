package io.portcullis.audit.policy;

import io.portcullis.api.policy.PolicyRef;
import java.util.Map;

/**
 * A policy that the scanner evaluates objects against.
 *
 * @param id unique name: the name of the webhook configuration, also used in reports
 */
public record AuditedPolicy(String id, PolicyRef ref, ReportAttributes reportAttributes, Webhook webhook) {

    /**
     * Attributes of a policy that reports contain.
     *
     * @param severity a value that the report CRDs accept, or empty
     */
    public record ReportAttributes(
            String uid,
            String resourceVersion,
            String category,
            String severity,
            boolean isMonitoring,
            boolean isContextAware) {}

    /**
     * Reports whether the policy applies to objects of a namespace. A namespaced policy applies only to its own
     * namespace, whatever its webhook selects.
     */
    public boolean appliesToNamespace(String namespace, Map<String, String> labels) {
        return (!ref.kind().isNamespaced() || ref.namespace().equals(namespace))
                && webhook.namespaces().accept(labels);
    }

    /** Reports whether the object selector matches these labels. */
    public boolean selects(Map<String, String> labels) {
        return webhook.objects().accept(labels);
    }
}
