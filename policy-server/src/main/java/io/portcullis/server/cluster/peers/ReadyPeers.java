package io.portcullis.server.cluster.peers;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.time.Pause;
import io.portcullis.server.settings.ClusterSettings.Identity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the other ready replicas in the EndpointSlices of the Service that webhooks call. Kubernetes lists only replicas there that
 * have loaded every active revision. Lists them again after some seconds. Thread-safe.
 */
public final class ReadyPeers implements Supplier<List<InetSocketAddress>> {

    private static final Logger log = LoggerFactory.getLogger(ReadyPeers.class);
    /** A starting replica asks for many modules at once. */
    private static final Duration MAX_AGE = Duration.ofSeconds(5);

    private static final String SERVICE_LABEL = "kubernetes.io/service-name";
    private static final String WEBHOOK_PORT = "policy-server";

    private final KubernetesClient client;
    private final Identity identity;
    private final InstantSource clock;
    private List<InetSocketAddress> peers = List.of();
    private Pause validity = new Pause(Instant.MIN, Instant.MIN);

    public ReadyPeers(KubernetesClient client, Identity identity, InstantSource clock) {
        this.client = client;
        this.identity = identity;
        this.clock = clock;
    }

    @Override
    public synchronized List<InetSocketAddress> get() {
        var now = clock.instant();
        if (validity.isOver(now)) {
            peers = list();
            validity = Pause.of(now, MAX_AGE);
        }
        return peers;
    }

    private List<InetSocketAddress> list() {
        try {
            var slices = client.discovery()
                    .v1()
                    .endpointSlices()
                    .inNamespace(identity.namespace())
                    .withLabel(SERVICE_LABEL, PolicyServerNames.service(identity.policyServer()))
                    .list()
                    .getItems();
            return others(slices, identity.podName());
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("error", e.getMessage())
                    .log("cannot list the endpoints of this server; modules are fetched from their origin");
            return List.of();
        }
    }

    /** Returns one address for each ready replica except this one. A pod with two IP families is in two slices. */
    static List<InetSocketAddress> others(Collection<EndpointSlice> slices, String ownPod) {
        var byPod = new LinkedHashMap<String, InetSocketAddress>();
        for (var slice : slices) {
            var port = port(slice);
            if (port.isPresent()) {
                slice.getEndpoints().stream()
                        .filter(endpoint -> isReady(endpoint) && !pod(endpoint).equals(ownPod))
                        .forEach(endpoint -> address(endpoint)
                                .ifPresent(address ->
                                        byPod.putIfAbsent(pod(endpoint), new InetSocketAddress(address, port.get()))));
            }
        }
        return List.copyOf(byPod.values());
    }

    private static Optional<Integer> port(EndpointSlice slice) {
        return Objects.requireNonNullElse(
                        slice.getPorts(), List.<io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort>of())
                .stream()
                .filter(port -> WEBHOOK_PORT.equals(port.getName()) && port.getPort() != null)
                .map(port -> port.getPort())
                .findFirst();
    }

    private static boolean isReady(Endpoint endpoint) {
        return endpoint.getConditions() != null
                && Boolean.TRUE.equals(endpoint.getConditions().getReady());
    }

    /** Returns the name of the pod, or the address of an endpoint that names no pod. */
    private static String pod(Endpoint endpoint) {
        return endpoint.getTargetRef() == null || endpoint.getTargetRef().getName() == null
                ? String.join(",", endpoint.getAddresses())
                : endpoint.getTargetRef().getName();
    }

    /** Returns the first address; empty for a host name, because a lookup could block. */
    private static Optional<InetAddress> address(Endpoint endpoint) {
        try {
            return endpoint.getAddresses().stream().findFirst().map(InetAddress::ofLiteral);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
