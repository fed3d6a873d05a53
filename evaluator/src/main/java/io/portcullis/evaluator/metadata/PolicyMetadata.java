package io.portcullis.evaluator.metadata;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The metadata that a policy's author declares. Rules, grants and the mutating flag are only proposals: the policy's
 * definition decides. The execution mode decides how the module runs.
 */
public record PolicyMetadata(
        Optional<ProtocolVersion> protocolVersion,
        List<Rule> rules,
        Map<String, String> annotations,
        boolean mutating,
        boolean backgroundAudit,
        ExecutionMode executionMode,
        PolicyType policyType,
        Set<ContextAwareResource> contextAwareResources,
        Set<String> hostCapabilities,
        Optional<KubewardenVersion> minimumKubewardenVersion) {

    /** The requests that the policy is made for. */
    public record Rule(
            List<String> apiGroups, List<String> apiVersions, List<String> resources, List<String> operations) {}

    /** The metadata of a module without the section. */
    private static final PolicyMetadata NONE = new PolicyMetadata(
            Optional.empty(),
            List.of(),
            Map.of(),
            false,
            true,
            ExecutionMode.KUBEWARDEN_WAPC,
            PolicyType.KUBERNETES,
            Set.of(),
            Set.of(),
            Optional.empty());

    /**
     * Reads the metadata section.
     *
     * @return empty if the module has no such section
     * @throws PolicyLoadException if the bytes are not a module, or the section is invalid
     */
    public static Optional<PolicyMetadata> of(byte[] wasm) {
        return MetadataSection.in(wasm).map(MetadataParser::parse);
    }

    /**
     * Reads the metadata and checks that this server can run the policy.
     *
     * @throws PolicyLoadException if this server cannot run it
     */
    public static PolicyMetadata ofServable(byte[] wasm) {
        var metadata = of(wasm).orElse(NONE);
        metadata.problem().ifPresent(problem -> {
            throw new PolicyLoadException(Reason.INVALID_METADATA, problem, null);
        });
        return metadata;
    }

    /** Returns the reason why this server cannot run the policy. */
    private Optional<String> problem() {
        if (executionMode == ExecutionMode.KUBEWARDEN_WAPC) {
            if (protocolVersion.isEmpty()) {
                return Optional.of(
                        "Policy is missing protocol version, which is required for KubewardenWapc execution mode");
            }
            if (protocolVersion.get() != ProtocolVersion.V1) {
                return Optional.of("Policy uses protocol version Unknown but only V1 is supported");
            }
        }
        return minimumKubewardenVersion
                .filter(minimum -> minimum.compareTo(KubewardenVersion.COMPATIBLE) > 0)
                .map(minimum -> "Policy required Kubewarden version " + minimum + " but is running on "
                        + KubewardenVersion.COMPATIBLE);
    }
}
