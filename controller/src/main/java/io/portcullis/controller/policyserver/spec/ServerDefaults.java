package io.portcullis.controller.policyserver.spec;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The controller's settings for all policy servers.
 *
 * @param namespace the namespace of policy servers
 * @param imagePullSecrets for the image of the pods
 * @param alwaysAcceptInNamespace whether requests in {@code namespace} are accepted without evaluation
 * @param clientCaConfigMap if present, clients need a certificate of an authority in this ConfigMap, or of ours
 * @param controllerUser the user name of the controller at the API server
 */
public record ServerDefaults(
        String namespace,
        List<String> imagePullSecrets,
        boolean hostNetwork,
        boolean alwaysAcceptInNamespace,
        Optional<String> clientCaConfigMap,
        Telemetry telemetry,
        Network network,
        String controllerUser) {

    /** Port of the Service for metrics, unless a PolicyServer sets its own. */
    public static final int DEFAULT_METRICS_PORT = 8080;

    public ServerDefaults {
        imagePullSecrets = imagePullSecrets.stream().distinct().toList();
    }

    /**
     * NetworkPolicies of policy servers.
     *
     * @param isRestricted whether each server gets a NetworkPolicy
     * @param egressPorts TCP ports that pods may connect to, in addition to those in the PolicyServer
     */
    public record Network(boolean isRestricted, List<Integer> egressPorts) {

        public static final Network UNRESTRICTED = new Network(false, List.of());

        public Network {
            egressPorts = List.copyOf(egressPorts);
        }
    }

    /**
     * The destination of metrics and traces.
     *
     * @param sidecar whether the OpenTelemetry operator injects a collector into each pod
     * @param metricsPort port of the Service for metrics, and of the injected collector
     * @param exporter variables {@code OTEL_EXPORTER_OTLP_*} of the controller, passed on to policy servers
     * @param certificateSecret for the verification of the collector
     * @param clientCertificateSecret with the client certificate for the collector
     */
    public record Telemetry(
            boolean metrics,
            boolean tracing,
            boolean sidecar,
            int metricsPort,
            Map<String, String> exporter,
            Optional<String> certificateSecret,
            Optional<String> clientCertificateSecret) {

        static final String EXPORTER_PREFIX = "OTEL_EXPORTER_OTLP_";

        public static final Telemetry OFF =
                new Telemetry(false, false, false, DEFAULT_METRICS_PORT, Map.of(), Optional.empty(), Optional.empty());

        /** Keeps only the exporter's variables of an environment. */
        public Telemetry {
            var sorted = new TreeMap<>(exporter);
            sorted.keySet().removeIf(name -> !name.startsWith(EXPORTER_PREFIX));
            exporter = Map.copyOf(sorted);
        }

        public boolean isOn() {
            return metrics || tracing;
        }

        public boolean isSentToCollector() {
            return isOn() && !sidecar;
        }
    }
}
