package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.portcullis.api.policyserver.PolicyServerNames;
import java.util.ArrayList;
import java.util.Objects;

/** How the replicas of a policy server are reached. */
final class DesiredServices {

    private DesiredServices() {}

    /**
     * What webhooks call.
     *
     * @param migration which pods answer
     */
    static Service forWebhooks(ServerSpec blueprint, Migration migration) {
        var spec = blueprint.spec().ports();
        var ports = new ArrayList<ServicePort>();
        ports.add(port("policy-server", PolicyServerNames.SERVICE_PORT, spec.effectiveWebhookPort()));
        var telemetry = blueprint.settings().telemetry();
        if (telemetry.metrics()) {
            // Without a collector in the pod it is the server itself that can be scraped, next to its probes.
            int target = telemetry.sidecar() ? telemetry.metricsPort() : spec.effectiveReadinessProbePort();
            ports.add(port("metrics", Objects.requireNonNullElse(spec.metricsPort(), telemetry.metricsPort()), target));
        }
        return new ServiceBuilder()
                .withMetadata(blueprint
                        .metadata(blueprint.names().main(), blueprint.names().common())
                        .addToAnnotations(migration.annotations())
                        .build())
                .withNewSpec()
                .withType("ClusterIP")
                .withSelector(migration.selector())
                .withPorts(ports)
                .endSpec()
                .build();
    }

    /** Names each pod, also those that are not ready: that is how the controller asks them for evidence. */
    static Service forPods(ServerSpec blueprint) {
        var names = blueprint.names();
        var selector = names.selector();
        selector.put(ServerNames.WORKLOAD, ServerNames.WORKLOAD_VALUE);
        return new ServiceBuilder()
                .withMetadata(
                        blueprint.metadata(names.podsService(), names.common()).build())
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(selector)
                .withPorts(port(
                        "policy-server",
                        PolicyServerNames.SERVICE_PORT,
                        blueprint.spec().ports().effectiveWebhookPort()))
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
