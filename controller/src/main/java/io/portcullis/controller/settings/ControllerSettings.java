package io.portcullis.controller.settings;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.UsageException;
import io.portcullis.process.logging.LogFormat;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.event.Level;

/**
 * The validated settings of a controller.
 *
 * @param namespace the namespace of policy servers and all their objects
 * @param electsLeader whether several controllers may run
 * @param settling how long after a new certificate authority its certificates are used
 */
public record ControllerSettings(
        String namespace,
        boolean electsLeader,
        Duration settling,
        Listen listen,
        Policies policies,
        Workloads workloads,
        Observability observability) {

    /**
     * The listen addresses.
     *
     * @param webhookService the Service through which the API server calls the webhook port
     */
    public record Listen(
            Optional<InetSocketAddress> metrics,
            Optional<InetSocketAddress> health,
            int webhookPort,
            String webhookService) {}

    /**
     * The settings for policies.
     *
     * @param acceptsAllInside whether servers accept everything in their namespace
     * @param keepsDefaultServer whether the PolicyServer {@code default} cannot be deleted
     * @param drain how long a revision is still served after its webhook has moved to another one
     * @param grace how long a replica that does not answer may delay a webhook
     * @param reportsAffected whether the status of policies reports mutating policies that match the same requests
     */
    public record Policies(
            IdentityScheme scheme,
            boolean acceptsAllInside,
            boolean keepsDefaultServer,
            int historyLimit,
            Duration drain,
            Duration grace,
            boolean reportsAffected) {}

    /**
     * The common settings of all policy servers.
     *
     * @param clientCa ConfigMap with the authority of client certificates; enables mTLS
     * @param metricsPort of their Services
     */
    public record Workloads(
            List<String> imagePullSecrets,
            boolean hostNetwork,
            Optional<String> clientCa,
            int metricsPort,
            OpenTelemetry telemetry,
            ServerDefaults.Network network) {}

    /**
     * The telemetry of policy servers, and its certificates.
     *
     * @param exporter the controller's own environment, whose exporter variables are passed on
     */
    public record OpenTelemetry(
            boolean metrics,
            boolean tracing,
            boolean sidecar,
            Map<String, String> exporter,
            Optional<String> certificateSecret,
            Optional<String> clientCertificateSecret) {}

    /** The log settings of the controller. */
    public record Observability(Level logLevel, LogFormat logFormat, boolean colours) {}

    /** The settings for the policy lifecycle. */
    public PolicySettings policySettings() {
        return new PolicySettings(
                namespace,
                policies.drain(),
                policies.grace(),
                policies.historyLimit(),
                policies.scheme(),
                policies.reportsAffected(),
                policies.acceptsAllInside());
    }

    /**
     * The common settings of all policy servers.
     *
     * @param controllerUser the user name of this process at the API server
     */
    public ServerDefaults serverSettings(String controllerUser) {
        var telemetry = workloads.telemetry();
        return new ServerDefaults(
                namespace,
                workloads.imagePullSecrets(),
                workloads.hostNetwork(),
                policies.acceptsAllInside(),
                workloads.clientCa(),
                new ServerDefaults.Telemetry(
                        telemetry.metrics(),
                        telemetry.tracing(),
                        telemetry.sidecar(),
                        workloads.metricsPort(),
                        telemetry.exporter(),
                        telemetry.certificateSecret(),
                        telemetry.clientCertificateSecret()),
                workloads.network(),
                controllerUser);
    }

    /** @throws UsageException when the arguments contradict each other */
    public static ControllerSettings from(Arguments arguments, Map<String, String> environment, boolean isTerminal) {
        var workloads = workloads(arguments, environment);
        if (workloads.hostNetwork() && workloads.telemetry().sidecar()) {
            throw new UsageException("--enable-otel-sidecar and --host-network exclude each other");
        }
        return new ControllerSettings(
                arguments.get(ControllerFlags.NAMESPACE),
                arguments.get(ControllerFlags.LEADER_ELECT),
                Duration.ofSeconds(arguments.get(ControllerFlags.SETTLING_SECONDS)),
                new Listen(
                        arguments.get(ControllerFlags.METRICS_ADDRESS),
                        arguments.get(ControllerFlags.HEALTH_ADDRESS),
                        arguments.get(ControllerFlags.WEBHOOK_PORT),
                        arguments.get(ControllerFlags.WEBHOOK_SERVICE)),
                policies(arguments),
                workloads,
                observability(arguments, environment, isTerminal));
    }

    private static Policies policies(Arguments arguments) {
        return new Policies(
                IdentityScheme.parse(arguments.get(ControllerFlags.IDENTITY_SCHEME))
                        .orElseThrow(() -> new IllegalStateException("the flag has checked its value")),
                arguments.get(ControllerFlags.ACCEPT_INSIDE),
                arguments.get(ControllerFlags.KEEP_DEFAULT_SERVER),
                arguments.get(ControllerFlags.HISTORY_LIMIT),
                Duration.ofSeconds(arguments.get(ControllerFlags.DRAIN_SECONDS)),
                Duration.ofSeconds(arguments.get(ControllerFlags.GRACE_SECONDS)),
                !arguments.get(ControllerFlags.POLICY_AFFECTED).equals("off"));
    }

    private static Workloads workloads(Arguments arguments, Map<String, String> environment) {
        return new Workloads(
                Arrays.stream(arguments.get(ControllerFlags.IMAGE_PULL_SECRETS).split(","))
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .toList(),
                arguments.get(ControllerFlags.HOST_NETWORK),
                present(arguments.get(ControllerFlags.CLIENT_CA)),
                arguments.get(ControllerFlags.SERVICES_METRICS_PORT),
                new OpenTelemetry(
                        arguments.get(ControllerFlags.ENABLE_METRICS),
                        arguments.get(ControllerFlags.ENABLE_TRACING),
                        arguments.get(ControllerFlags.ENABLE_SIDECAR),
                        environment,
                        present(arguments.get(ControllerFlags.OTEL_SECRET)),
                        present(arguments.get(ControllerFlags.OTEL_CLIENT_SECRET))),
                new ServerDefaults.Network(
                        arguments.get(ControllerFlags.NETWORK_POLICIES), arguments.get(ControllerFlags.EGRESS_PORTS)));
    }

    private static Optional<String> present(String name) {
        return name.isBlank() ? Optional.empty() : Optional.of(name.strip());
    }

    private static Observability observability(
            Arguments arguments, Map<String, String> environment, boolean isTerminal) {
        var level = arguments
                .find(ControllerFlags.ZAP_LOG_LEVEL)
                .map(zap -> zap.equals("panic") ? "error" : zap)
                .orElseGet(() -> arguments.get(ControllerFlags.LOG_LEVEL));
        var colourless = arguments.get(ControllerFlags.LOG_NO_COLOR)
                || !environment.getOrDefault("NO_COLOR", "").isEmpty();
        return new Observability(
                Level.valueOf(level.toUpperCase(Locale.ROOT)),
                arguments.get(ControllerFlags.LOG_FORMAT).equals("json") ? LogFormat.JSON : LogFormat.TEXT,
                isTerminal && !colourless);
    }
}
