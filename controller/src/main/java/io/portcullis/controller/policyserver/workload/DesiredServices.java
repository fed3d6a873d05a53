package io.portcullis.controller.policyserver.workload;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.policyserver.rollout.Migration;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.util.ArrayList;
import java.util.Objects;

/** The desired Services of a policy server. */
public final class DesiredServices {

    private DesiredServices() {}

    /**
     * The Service that webhooks call.
     *
     * @param migration which pods answer
     */
    public static Service forWebhooks(ServerSpec serverSpec, Migration migration) {
        var spec = serverSpec.spec().ports();
        var ports = new ArrayList<ServicePort>();
        ports.add(port("policy-server", PolicyServerNames.SERVICE_PORT, spec.effectiveWebhookPort()));
        var telemetry = serverSpec.settings().telemetry();
        if (telemetry.metrics()) {
            // Without a collector in the pod, Prometheus scrapes the server itself, on the probe port.
            int target = telemetry.sidecar() ? telemetry.metricsPort() : spec.effectiveReadinessProbePort();
            ports.add(port("metrics", Objects.requireNonNullElse(spec.metricsPort(), telemetry.metricsPort()), target));
        }
        return new ServiceBuilder()
                .withMetadata(serverSpec
                        .metadata(serverSpec.names().main(), serverSpec.names().common())
                        .addToAnnotations(migration.annotations())
                        .build())
                .withNewSpec()
                .withType("ClusterIP")
                .withSelector(migration.selector())
                .withPorts(ports)
                .endSpec()
                .build();
    }

    /**
     * The headless Service that names each pod, including pods that are not ready. The controller asks them for
     * evidence through it.
     */
    public static Service forPods(ServerSpec serverSpec) {
        var names = serverSpec.names();
        var selector = names.selector();
        selector.put(ServerNames.WORKLOAD, ServerNames.WORKLOAD_VALUE);
        return new ServiceBuilder()
                .withMetadata(
                        serverSpec.metadata(names.podsService(), names.common()).build())
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(selector)
                .withPorts(port(
                        "policy-server",
                        PolicyServerNames.SERVICE_PORT,
                        serverSpec.spec().ports().effectiveWebhookPort()))
                .endSpec()
                .build();
    }

    private static ServicePort port(String name, int number, int target) {
        return new ServicePortBuilder()
                .withName(name)
                .withPort(number)
                .withProtocol("TCP")
                .withTargetPort(new IntOrString(target))
                .build();
    }
}
