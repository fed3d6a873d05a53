package io.portcullis.controller.certificates.secrets;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.certificates.plan.LeafRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A desired Secret with a certificate that the authority signs: its name, content and owner.
 *
 * @param isVersioned whether the Secret must state its format version; it is rewritten when the version is missing
 */
public record LeafSecret(
        String name,
        LeafRequest request,
        Map<String, String> labels,
        Optional<OwnerReference> owner,
        boolean isVersioned) {

    public static final String CERTIFICATE = "tls.crt";
    public static final String KEY = "tls.key";

    private static final String COMPONENT = "app.kubernetes.io/component";
    private static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    private static final String CONTROLLER = "kubewarden-controller";

    /** The serving certificate of the controller's own webhooks. */
    public static LeafSecret ofWebhooks(String service, String namespace) {
        var name = service + "." + namespace + ".svc";
        return new LeafSecret(
                "kubewarden-webhook-server-cert",
                new LeafRequest(service, List.of(name, name + ".cluster.local"), LeafRequest.Usage.TLS),
                labels("controller"),
                Optional.empty(),
                false);
    }

    /** The client certificate of the audit scanner for policy servers that require one. */
    public static LeafSecret ofAuditScanner() {
        return new LeafSecret(
                "kubewarden-audit-scanner-client-cert",
                new LeafRequest("audit-scanner-client", List.of(), LeafRequest.Usage.TLS),
                labels("audit-scanner"),
                Optional.empty(),
                false);
    }

    /** The serving certificate of a policy server: valid for its Service, and for each replica by name. */
    public static LeafSecret ofPolicyServer(PolicyServer server, String namespace) {
        var service = PolicyServerNames.service(server.getMetadata().getName());
        var name = service + "." + namespace + ".svc";
        var replica = "*." + PolicyServerNames.podsService(server.getMetadata().getName()) + "." + namespace + ".svc";
        return new LeafSecret(
                service,
                new LeafRequest(
                        service,
                        List.of(name, name + ".cluster.local", replica, replica + ".cluster.local"),
                        LeafRequest.Usage.TLS),
                serverLabels(service),
                Optional.of(owner(server)),
                true);
    }

    /** The certificate with which a policy server signs its compiled modules. */
    public static LeafSecret ofCacheSigner(PolicyServer server) {
        var service = PolicyServerNames.service(server.getMetadata().getName());
        return new LeafSecret(
                service + "-cache-signer",
                new LeafRequest(service + ".cache", List.of(), LeafRequest.Usage.CODE_SIGNING),
                serverLabels(service),
                Optional.of(owner(server)),
                true);
    }

    private static Map<String, String> labels(String component) {
        return Map.of(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE, COMPONENT, component, MANAGED_BY, CONTROLLER);
    }

    private static Map<String, String> serverLabels(String service) {
        return Map.of(
                PolicyNames.PART_OF,
                PolicyNames.PART_OF_VALUE,
                COMPONENT,
                "policy-server",
                "app.kubernetes.io/instance",
                service,
                MANAGED_BY,
                CONTROLLER);
    }

    private static OwnerReference owner(PolicyServer server) {
        return new OwnerReferenceBuilder()
                .withApiVersion(server.getApiVersion())
                .withKind(server.getKind())
                .withName(server.getMetadata().getName())
                .withUid(server.getMetadata().getUid())
                .withController(true)
                .build();
    }
}
