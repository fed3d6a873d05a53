package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.yaml.YamlDocuments;
import java.util.List;
import java.util.Locale;

/** Sample cluster objects, written in YAML. */
final class Samples {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Samples() {}

    static Policy policy(String yaml) {
        var tree = YamlDocuments.parse(yaml);
        return switch (tree.path("kind").asText()) {
            case "AdmissionPolicy" -> read(yaml, AdmissionPolicy.class);
            case "AdmissionPolicyGroup" -> read(yaml, AdmissionPolicyGroup.class);
            case "ClusterAdmissionPolicyGroup" -> read(yaml, ClusterAdmissionPolicyGroup.class);
            default -> read(yaml, ClusterAdmissionPolicy.class);
        };
    }

    /** Creates a policy with only a name. */
    static Policy named(String kind, String namespace, String name) {
        return policy("{kind: %s, metadata: {namespace: '%s', name: '%s', generation: 1, uid: u1}, spec: {}}"
                .formatted(kind, namespace, name));
    }

    /** Creates a cluster-wide policy of generation 4 on two replicas, with these conditions in its status. */
    static Policy inStatus(String phase, long active, String... conditions) {
        return policy("""
                kind: ClusterAdmissionPolicy
                metadata: {name: no-privileged, generation: 4, uid: u1}
                spec: {module: "ghcr.io/p:v1", mutating: false, rules: []}
                status:
                  policyStatus: %s
                  phase: %s
                  mode: protect
                  observedGeneration: 4
                  activeGeneration: %d
                  activePolicyServer: default
                  conditions: [%s]
                """.formatted(
                        phase.equals("Active") ? "active" : "pending", phase, active, String.join(", ", conditions)));
    }

    /** Creates a condition on the policy as a whole. */
    static String condition(String type, String status, String reason, String message) {
        return "{type: %s, status: \"%s\", reason: %s, message: \"%s\", observedGeneration: 4}"
                .formatted(type, status, reason, message);
    }

    /** Creates a condition on a generation and a replica. */
    static String about(long generation, int replica, String type, String status, String reason) {
        return "{type: %s, generation: %d, replica: %d, status: \"%s\", reason: %s, message: \"%s happened\"}"
                .formatted(type, generation, replica, status, reason, reason.toLowerCase(Locale.ROOT));
    }

    static RevisionRow revision(long generation, boolean active, String more) {
        return RevisionRow.of(List.of(read(
                        """
                        kind: PolicyRevision
                        metadata: {name: r%1$d, creationTimestamp: "2026-11-14T18:54:27Z"}
                        spec: {objectReference: {kind: ClusterAdmissionPolicy, name: no-privileged, uid: u1, apiVersion: v1},
                          policyGeneration: %1$d, policyID: id, active: %2$s, enabled: %2$s, dataHash: h, data: {spec: {}} %3$s}
                        status:
                          activatedAt: "2026-11-14T18:55:27Z"
                          artifacts: [{module: m, size: 1, digest: "sha256:%4$s"}]
                        """.formatted(generation, active, more, "0123456789abcdef".repeat(4)), PolicyRevision.class)))
                .getFirst();
    }

    /** Creates an enforced generation of the policy of {@link #inStatus}, whose current generation is 4. */
    static RevisionSummary summary(long generation, String mode) {
        return new RevisionSummary(
                generation,
                "2026-11-14T18:54:27Z",
                mode,
                List.of(new RevisionSummary.Module(null, "sha256:" + "0123456789abcdef".repeat(4))),
                true,
                generation != 4,
                null);
    }

    static RegisteredWebhook webhook(String name, long generation, String entry) {
        return RegisteredWebhook.of(read("""
                        kind: ValidatingWebhookConfiguration
                        metadata: {name: "%s", annotations: {kubewarden.io/policy-uid: u1}}
                        webhooks:
                        - name: w
                          clientConfig: {service: {namespace: kubewarden, name: policy-server-default, path: /validate/x/%d}}
                          %s
                        """.formatted(name, generation, entry), ValidatingWebhookConfiguration.class))
                .findFirst()
                .orElseThrow();
    }

    static <T> T read(String yaml, Class<T> type) {
        try {
            return MAPPER.treeToValue(YamlDocuments.parse(yaml), type);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
