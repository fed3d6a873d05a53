package io.portcullis.controller.settings;

import io.portcullis.process.cli.Flag;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** All flags of the controller: first upstream's, with the same names, then our own. */
public final class ControllerFlags {

    static final Flag<Optional<InetSocketAddress>> METRICS_ADDRESS =
            address("--metrics-bind-address", ":8088", "Where /metrics is served in plain HTTP; 0 turns it off.");
    static final Flag<Optional<InetSocketAddress>> HEALTH_ADDRESS =
            address("--health-probe-bind-address", ":8081", "Where /healthz and /readyz are served; 0 turns it off.");
    static final Flag<Integer> WEBHOOK_PORT = Flag.number(
                    "--webhook-server-port", "", 1, 65535, "Port of the webhooks for our own resources; always TLS.")
            .withDefault("9443");
    static final Flag<Boolean> LEADER_ELECT = Flag.onOff(
            "--leader-elect", "", "Act only as the leader among several controllers; webhooks are served by all.");
    public static final Flag<String> NAMESPACE = Flag.text(
            "--deployments-namespace",
            "KUBEWARDEN_NAMESPACE",
            "NAMESPACE",
            "Where policy servers run, and all that belongs to them.");
    static final Flag<String> WEBHOOK_SERVICE = Flag.text(
                    "--webhook-service-name", "", "NAME", "The Service by which the API server reaches the webhooks.")
            .withDefault("kubewarden-controller-webhook-service");
    static final Flag<Boolean> ACCEPT_INSIDE = Flag.onOff(
            "--always-accept-admission-reviews-on-deployments-namespace",
            "",
            "Policy servers accept every request of the deployments namespace without evaluation.");
    static final Flag<Boolean> ENABLE_METRICS = Flag.onOff(
            "--enable-metrics", "", "Push metrics by OTLP, here and in policy servers; see OTEL_* variables.");
    static final Flag<Boolean> ENABLE_TRACING =
            Flag.onOff("--enable-tracing", "", "Policy servers export traces by OTLP; see OTEL_* variables.");
    static final Flag<Boolean> ENABLE_SIDECAR = Flag.onOff(
            "--enable-otel-sidecar",
            "",
            "Policy servers get an OpenTelemetry collector as a side car, by its operator.");
    static final Flag<String> OTEL_SECRET = Flag.text(
                    "--opentelemetry-certificate-secret",
                    "",
                    "SECRET",
                    "The authority of the OpenTelemetry collector, mounted into policy servers.")
            .withDefault("");
    static final Flag<String> OTEL_CLIENT_SECRET = Flag.text(
                    "--opentelemetry-client-certificate-secret",
                    "",
                    "SECRET",
                    "What policy servers show to the OpenTelemetry collector.")
            .withDefault("");
    static final Flag<String> CLIENT_CA = Flag.text(
                    "--client-ca-configmap-name",
                    "",
                    "CONFIGMAP",
                    "Whose client certificates are asked for, key client-ca.crt; turns on mTLS of webhooks and policy servers.")
            .withDefault("");
    static final Flag<String> IMAGE_PULL_SECRETS = Flag.text(
                    "--image-pull-secrets",
                    "",
                    "SECRET[,SECRET…]",
                    "With which pods of policy servers pull their image.")
            .withDefault("");
    static final Flag<Boolean> HOST_NETWORK =
            Flag.onOff("--host-network", "", "Policy servers use the network of their node.");
    static final Flag<Integer> SERVICES_METRICS_PORT = Flag.number(
                    "--policy-server-services-metrics-port",
                    "KUBEWARDEN_POLICY_SERVER_SERVICES_METRICS_PORT",
                    1,
                    65535,
                    "Port under which Services of policy servers offer metrics.")
            .withDefault("8080");
    static final Flag<Boolean> NETWORK_POLICIES = Flag.onOff(
            "--policy-server-network-policies",
            "",
            "Each policy server gets a NetworkPolicy. Not together with --host-network, where Kubernetes ignores them.");
    static final Flag<List<Integer>> EGRESS_PORTS = new Flag<>(
            "--policy-server-egress-ports",
            "",
            Flag.Form.of("PORT[,PORT…]"),
            Optional.of("443,6443"),
            ControllerFlags::ports,
            "TCP ports that the NetworkPolicy lets policy servers connect to: API servers and registries. Ports that a PolicyServer names are added.");
    static final Flag<String> ZAP_LOG_LEVEL = Flag.choice(
                    "--zap-log-level",
                    "",
                    List.of("debug", "info", "warn", "error", "panic"),
                    "Upstream's name of --log-level.")
            .hidden();

    static final Flag<String> LOG_LEVEL = Flag.choice(
                    "--log-level",
                    "KUBEWARDEN_LOG_LEVEL",
                    List.of("trace", "debug", "info", "warn", "error"),
                    "Least level that is logged.")
            .withDefault("info");
    static final Flag<String> LOG_FORMAT = Flag.choice(
                    "--log-fmt", "KUBEWARDEN_LOG_FMT", List.of("text", "json"), "Shape of log lines.")
            .withDefault("text");
    static final Flag<Boolean> LOG_NO_COLOR = Flag.onOff(
            "--log-no-color", "", "No colours, even on a terminal; so does any NO_COLOR in the environment.");
    static final Flag<Integer> HISTORY_LIMIT = Flag.number(
                    "--revision-history-limit", "", 1, 1000, "Revisions of a policy that are kept for rollbacks.")
            .withDefault("10");
    static final Flag<Integer> DRAIN_SECONDS = Flag.number(
                    "--webhook-drain-seconds",
                    "",
                    0,
                    3600,
                    "How long a revision is served on after its webhook went to another one.")
            .withDefault("30");
    static final Flag<Integer> GRACE_SECONDS = Flag.number(
                    "--replica-grace-seconds",
                    "",
                    0,
                    3600,
                    "How long a replica that does not answer may hold up a webhook.")
            .withDefault("60");
    static final Flag<Integer> SETTLING_SECONDS = Flag.number(
                    "--certificate-settling-seconds",
                    "",
                    0,
                    86400,
                    "How long after a new certificate authority its certificates come into use: until kubelets have refreshed every mounted Secret.")
            .withDefault("120");
    static final Flag<String> IDENTITY_SCHEME = Flag.choice(
                    "--policy-identity-scheme",
                    "",
                    List.of("dotted", "legacy"),
                    "How unique names of policies are made; legacy is that of Kubewarden before 1.37.2.")
            .withDefault("dotted");
    static final Flag<Boolean> KEEP_DEFAULT_SERVER =
            Flag.onOff("--deny-default-policy-server-deletion", "", "The PolicyServer 'default' cannot be deleted.");
    static final Flag<String> POLICY_AFFECTED = Flag.choice(
                    "--policy-affected",
                    "",
                    List.of("mutating", "off"),
                    "Which policies get the condition PolicyAffected when another one changes what they see.")
            .withDefault("mutating");

    /** In the order of the reference page. */
    public static final List<Flag<?>> ALL = List.of(
            METRICS_ADDRESS,
            HEALTH_ADDRESS,
            WEBHOOK_PORT,
            LEADER_ELECT,
            NAMESPACE,
            WEBHOOK_SERVICE,
            ACCEPT_INSIDE,
            ENABLE_METRICS,
            ENABLE_TRACING,
            ENABLE_SIDECAR,
            OTEL_SECRET,
            OTEL_CLIENT_SECRET,
            CLIENT_CA,
            IMAGE_PULL_SECRETS,
            HOST_NETWORK,
            SERVICES_METRICS_PORT,
            NETWORK_POLICIES,
            EGRESS_PORTS,
            ZAP_LOG_LEVEL,
            LOG_LEVEL,
            LOG_FORMAT,
            LOG_NO_COLOR,
            HISTORY_LIMIT,
            DRAIN_SECONDS,
            GRACE_SECONDS,
            SETTLING_SECONDS,
            IDENTITY_SCHEME,
            KEEP_DEFAULT_SERVER,
            POLICY_AFFECTED);

    private ControllerFlags() {}

    private static List<Integer> ports(String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(port -> !port.isEmpty())
                .map(ControllerFlags::port)
                .toList();
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= 65535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("expected ports between 1 and 65535, separated by commas");
    }

    private static Flag<Optional<InetSocketAddress>> address(String name, String defaultText, String help) {
        return new Flag<>(name, "", Flag.Form.of("ADDRESS"), Optional.of(defaultText), BindAddress::parse, help);
    }
}
