package io.portcullis.server.cluster.initialization;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.core.tenancy.TenancyRules;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads the tenancy rules of this server, and the labels of namespaces that the rules select. */
public interface TenancySource {

    /** Reads the current rules. */
    TenancyRules rules();

    /** Reads the labels of a namespace; empty when there is no such namespace. */
    Optional<Map<String, String>> namespaceLabels(String namespace);

    /**
     * Creates a source that reads from the API server on every call, so that a stricter rule takes effect at once.
     *
     * @param isVerifying whether this process verifies signatures
     */
    static TenancySource of(KubernetesClient client, String policyServer, boolean isVerifying) {
        return new TenancySource() {
            @Override
            public TenancyRules rules() {
                var server = Optional.ofNullable(client.resources(PolicyServer.class)
                        .withName(policyServer)
                        .get());
                return new TenancyRules(
                        policyServer,
                        server.map(found -> found.read().tenancy()).orElse(Tenancy.DEFAULT),
                        isVerifying);
            }

            @Override
            public Optional<Map<String, String>> namespaceLabels(String namespace) {
                return Optional.ofNullable(
                                client.namespaces().withName(namespace).get())
                        .map(found ->
                                Objects.requireNonNullElse(found.getMetadata().getLabels(), Map.<String, String>of()));
            }
        };
    }
}
