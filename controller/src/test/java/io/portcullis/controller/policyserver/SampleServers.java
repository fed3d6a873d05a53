package io.portcullis.controller.policyserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.policyserver.rollout.Surge;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerDefaults.Telemetry;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.workload.Applied;
import io.portcullis.controller.policyserver.workload.DesiredStatefulSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** PolicyServers and controller settings for tests. */
public final class SampleServers {

    public static final String NAMESPACE = "kubewarden";

    public static final String CONTROLLER = "system:serviceaccount:kubewarden:kubewarden-controller";

    public static final ServerDefaults PLAIN = new ServerDefaults(
            NAMESPACE,
            List.of(),
            false,
            false,
            Optional.empty(),
            Telemetry.OFF,
            ServerDefaults.Network.UNRESTRICTED,
            CONTROLLER);

    public static final Telemetry COLLECTOR = new Telemetry(
            true,
            true,
            false,
            ServerDefaults.DEFAULT_METRICS_PORT,
            Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317",
                    "OTEL_EXPORTER_OTLP_CERTIFICATE", "/collector/ca/ca.crt",
                    "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/collector/client/tls.crt",
                    "PATH", "/bin"),
            Optional.of("collector-ca"),
            Optional.of("collector-client"));

    public static final Telemetry SIDECAR =
            new Telemetry(true, true, true, 9090, Map.of(), Optional.empty(), Optional.empty());

    private SampleServers() {}

    static PolicyServer server(String name, String spec) {
        var server = new PolicyServer();
        server.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid-of-" + name)
                .withGeneration(3L)
                .withResourceVersion("7")
                .build());
        server.setSpec(Serialization.unmarshal("---\n" + spec, ObjectNode.class));
        return server;
    }

    public static PolicyServer minimal() {
        return server("a", "{image: policy-server:1, replicas: 1}");
    }

    /** Creates the initial StatefulSet of a server. */
    public static StatefulSet statefulSet(ServerSpec serverSpec) {
        var template = DesiredStatefulSet.template(serverSpec, "sha256:0");
        var surge = Surge.decide(new Surge.Seen(
                serverSpec.spec().fleet().replicas(),
                false,
                Applied.digest(template),
                Optional.empty(),
                List.of(),
                _ -> false,
                Instant.EPOCH));
        return DesiredStatefulSet.of(serverSpec, template, surge);
    }

    public static ServerSpec serverSpec(String spec) {
        return serverSpec(spec, PLAIN);
    }

    public static ServerSpec serverSpec(String spec, ServerDefaults settings) {
        return ServerSpec.of(server("a", spec), settings);
    }

    public static ServerDefaults with(Telemetry telemetry) {
        return new ServerDefaults(
                NAMESPACE,
                List.of(),
                false,
                false,
                Optional.empty(),
                telemetry,
                new ServerDefaults.Network(true, List.of(443, 6443)),
                CONTROLLER);
    }
}
