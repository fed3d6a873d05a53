package io.portcullis.audit.policy;

import io.portcullis.api.policy.PolicyRef;
import io.portcullis.matching.AdmissionAttributes;
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
     * Reports whether the selectors match an object. A namespaced policy applies only to its own namespace, whatever its
     * webhook selects.
     *
     * @param namespaceLabels labels of the object's namespace
     */
    public boolean selects(AdmissionAttributes creation, Map<String, String> namespaceLabels) {
        return isInScope(creation.namespace())
                && webhook.requests().selectsNamespace(creation, namespaceLabels)
                && webhook.requests().selectsObject(creation);
    }

    /** Reports whether the policy may apply to objects of a namespace. */
    public boolean appliesToNamespace(String namespace, Map<String, String> labels) {
        return isInScope(namespace) && webhook.requests().namespaces().accept(labels);
    }

    private boolean isInScope(String namespace) {
        return !ref.kind().isNamespaced() || ref.namespace().equals(namespace);
    }
}
