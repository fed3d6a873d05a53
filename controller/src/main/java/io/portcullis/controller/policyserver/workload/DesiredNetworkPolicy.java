package io.portcullis.controller.policyserver.workload;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The NetworkPolicy of a policy server: which ports accept connections, and which ports the pods may connect to. API
 * servers and registries are outside the pod network, so that the rules can name only ports, not peers.
 */
public final class DesiredNetworkPolicy {

    private static final int DNS = 53;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final Pattern HOST_WITH_PORT = Pattern.compile("(?:\\[[^]]+]|[^/:]+):([0-9]{1,5})(?:/.*)?");

    private DesiredNetworkPolicy() {}

    /** Empty when servers are not restricted, or use the network of their node, where NetworkPolicies have no effect. */
    public static Optional<NetworkPolicy> of(ServerSpec serverSpec) {
        var settings = serverSpec.settings();
        if (!settings.network().isRestricted() || settings.hostNetwork()) {
            return Optional.empty();
        }
        var names = serverSpec.names();
        return Optional.of(new NetworkPolicyBuilder()
                .withMetadata(serverSpec.metadata(names.main(), names.common()).build())
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(names.selector())
                .endPodSelector()
                .withPolicyTypes("Ingress", "Egress")
                .addNewIngress()
                .withPorts(tcp(ingressPorts(serverSpec)))
                .endIngress()
                .addNewEgress()
                .withPorts(port("UDP", DNS), port("TCP", DNS))
                .endEgress()
                .addNewEgress() // A starting replica fetches modules from the others.
                .addNewTo()
                .withNewPodSelector()
                .withMatchLabels(names.selector())
                .endPodSelector()
                .endTo()
                .withPorts(port("TCP", serverSpec.spec().ports().effectiveWebhookPort()))
                .endEgress()
                .addNewEgress()
                .withPorts(tcp(egressPorts(serverSpec)))
                .endEgress()
                .endSpec()
                .build());
    }

    private static Collection<Integer> ingressPorts(ServerSpec serverSpec) {
        var ports = new TreeSet<Integer>();
        ports.add(serverSpec.spec().ports().effectiveWebhookPort());
        ports.add(serverSpec.spec().ports().effectiveReadinessProbePort());
        var telemetry = serverSpec.settings().telemetry();
        if (telemetry.metrics() && telemetry.sidecar()) {
            ports.add(telemetry.metricsPort());
        }
        return ports;
    }

    /** The ports from the controller's settings, and those of every source in the PolicyServer. */
    private static Collection<Integer> egressPorts(ServerSpec serverSpec) {
        var ports = new TreeSet<>(serverSpec.settings().network().egressPorts());
        var sources = serverSpec.spec().sources();
        sources.insecureSources().forEach(source -> ports.add(portOf(source).orElse(HTTP)));
        Stream.concat(sources.sourceAuthorities().keySet().stream(), sources.sourceAuthoritiesFrom().keySet().stream())
                .forEach(source -> ports.add(portOf(source).orElse(HTTPS)));
        var modules = serverSpec.spec().tenancy().moduleSources();
        if (modules != null) {
            Stream.of(modules.registries(), modules.repositories())
                    .flatMap(list -> list == null ? Stream.of() : list.stream())
                    .forEach(source -> portOf(source).ifPresent(ports::add));
            if (modules.schemes() != null && modules.schemes().contains("http")) {
                ports.add(HTTP);
            }
        }
        var telemetry = serverSpec.settings().telemetry();
        if (telemetry.isSentToCollector()) {
            telemetry.exporter().forEach((name, value) -> {
                if (name.endsWith("ENDPOINT")) {
                    endpointPort(value).ifPresent(ports::add);
                }
            });
        }
        return ports;
    }

    private static Optional<Integer> portOf(String source) {
        var matcher = HOST_WITH_PORT.matcher(source);
        return matcher.matches() ? valid(Integer.parseInt(matcher.group(1))) : Optional.empty();
    }

    private static Optional<Integer> endpointPort(String url) {
        try {
            var uri = URI.create(url);
            return uri.getPort() < 0
                    ? Optional.of("https".equals(uri.getScheme()) ? HTTPS : HTTP)
                    : valid(uri.getPort());
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // the exporter reports it
        }
    }

    private static Optional<Integer> valid(int port) {
        return port >= 1 && port <= 65535 ? Optional.of(port) : Optional.empty();
    }

    private static List<NetworkPolicyPort> tcp(Collection<Integer> ports) {
        return ports.stream().map(number -> port("TCP", number)).toList();
    }

    private static NetworkPolicyPort port(String protocol, int number) {
        return new NetworkPolicyPortBuilder()
                .withProtocol(protocol)
                .withPort(new IntOrString(number))
                .build();
    }
}
