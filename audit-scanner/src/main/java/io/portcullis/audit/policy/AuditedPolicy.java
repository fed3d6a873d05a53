package io.portcullis.audit.policy;

import io.portcullis.api.policy.PolicyRef;
import java.util.Map;

/**
 * A policy that objects are judged by.
 *
 * @param id its unique name: of its webhook configuration, and in reports
 */
public record AuditedPolicy(String id, PolicyRef ref, Look look, Webhook webhook) {

    /**
     * What reports tell of a policy.
     *
     * @param severity one that report definitions accept, or empty
     */
    public record Look(
            String uid,
            String resourceVersion,
            String category,
            String severity,
            boolean isMonitoring,
            boolean isContextAware) {}

    /** Whether it judges objects of a namespace. A tenant's policy stays in its own, whatever its webhook says. */
    public boolean looksInto(String namespace, Map<String, String> labels) {
        return (!ref.kind().isNamespaced() || ref.namespace().equals(namespace))
                && webhook.namespaces().accept(labels);
    }

    /** Whether its selector takes an object with these labels. */
    public boolean selects(Map<String, String> labels) {
        return webhook.objects().accept(labels);
    }
}
