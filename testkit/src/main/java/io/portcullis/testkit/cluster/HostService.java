package io.portcullis.testkit.cluster;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;

/**
 * A Service without a selector. A process on the test's machine backs it instead of pods. With it, a developer can
 * debug a webhook that a real API server calls.
 *
 * @param namespace the namespace of the Service
 * @param name the name of the Service
 * @param address the address of the host as nodes reach it; the API server refuses loopback
 * @param port the port on which the process listens at that address, or at all addresses
 */
public record HostService(String namespace, String name, String address, int port) {

    /** The port of the Service. */
    public static final int SERVICE_PORT = 443;

    private static final String PORT_NAME = "https";

    /** Returns the DNS name that the API server expects in the certificate of a webhook. */
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
