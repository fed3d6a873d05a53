package io.portcullis.server.cluster.initialization;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.tenancy.Tenancy;
import io.portcullis.api.tenancy.TenancyRules;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Where the tenancy rules of this server, and what they refer to, are read. */
public interface TenancySource {

    /** The rules as they are now. */
    TenancyRules rules();

    /** Labels of a namespace; empty when there is no such namespace. */
    Optional<Map<String, String>> namespaceLabels(String namespace);

    /**
     * Reads from the API server, each time: a rule that was just made stricter counts at once.
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
