package io.portcullis.testkit.cluster;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;

/**
 * A Service without a selector, backed by a process on the test's machine instead of pods: a debugger can sit in a webhook
 * that a real API server calls.
 *
 * @param namespace where it is
 * @param name of the Service
 * @param address of the host as nodes see it; the API server refuses loopback
 * @param port on which the process listens at that address, or at all addresses
 */
public record HostService(String namespace, String name, String address, int port) {

    /** The port of the Service. */
    public static final int SERVICE_PORT = 443;

    private static final String PORT_NAME = "https";

    /** The name that the API server expects in the certificate of a webhook. */
    public String dnsName() {
        return name + "." + namespace + ".svc";
    }

    Service service() {
        return new ServiceBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .addNewPort()
                .withName(PORT_NAME)
                .withPort(SERVICE_PORT)
                .withNewTargetPort(port)
                .endPort()
                .endSpec()
                .build();
    }

    EndpointSlice endpoints() {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .addToLabels("kubernetes.io/service-name", name)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(address)
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .addNewPort()
                .withName(PORT_NAME)
                .withPort(port)
                .withProtocol("TCP")
                .endPort()
                .build();
    }
}
