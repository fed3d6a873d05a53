package io.portcullis.controller.policyserver;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the controller's own flags say about every policy server.
 *
 * @param namespace where policy servers run
 * @param imagePullSecrets to pull the image of the pods with
 * @param alwaysAcceptInNamespace requests in {@code namespace} are accepted without evaluation
 * @param clientCaConfigMap when present, clients must have a certificate of an authority in it, or of ours
 * @param controllerUser the user that the controller is to the API server
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

    /** Port of the Service for metrics, unless a PolicyServer names its own. */
    public static final int DEFAULT_METRICS_PORT = 8080;

    public ServerDefaults {
        imagePullSecrets = imagePullSecrets.stream().distinct().toList();
    }

    /**
     * NetworkPolicies of policy servers.
     *
     * @param isRestricted whether each server gets a NetworkPolicy
     * @param egressPorts TCP ports that pods may connect to, beside those that the PolicyServer itself names
     */
    public record Network(boolean isRestricted, List<Integer> egressPorts) {

        public static final Network UNRESTRICTED = new Network(false, List.of());

        public Network {
            egressPorts = List.copyOf(egressPorts);
        }
    }

    /**
     * Where metrics and traces go.
     *
     * @param sidecar a collector is injected into each pod by the OpenTelemetry operator
     * @param metricsPort port of the Service for metrics, and of the injected collector
     * @param exporter variables {@code OTEL_EXPORTER_OTLP_*} of the controller, handed on to policy servers
     * @param certificateSecret with which the collector is verified
     * @param clientCertificateSecret which the collector is shown
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

        /** Takes only the exporter's variables of an environment. */
        public Telemetry {
            var sorted = new TreeMap<>(exporter);
            sorted.keySet().removeIf(name -> !name.startsWith(EXPORTER_PREFIX));
            exporter = Map.copyOf(sorted);
        }

        boolean isOn() {
            return metrics || tracing;
        }

        boolean isSentToCollector() {
            return isOn() && !sidecar;
        }
    }
}
