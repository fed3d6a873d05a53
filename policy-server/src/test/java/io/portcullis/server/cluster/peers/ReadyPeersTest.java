package io.portcullis.server.cluster.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadyPeersTest {

    private static final String OWN = "policy-server-s-0";
    private static final String OTHER = "policy-server-s-1";

    private static Endpoint endpoint(String pod, String address, @Nullable Boolean ready) {
        return new EndpointBuilder()
                .withAddresses(address)
                .withNewConditions()
                .withReady(ready)
                .endConditions()
                .withNewTargetRef()
                .withKind("Pod")
                .withName(pod)
                .endTargetRef()
                .build();
    }

    private static EndpointSlice slice(String port, Endpoint... endpoints) {
        return new EndpointSliceBuilder()
                .withEndpoints(endpoints)
                .addNewPort()
                .withName("metrics")
                .withPort(8080)
                .endPort()
                .addNewPort()
                .withName(port)
                .withPort(8443)
                .endPort()
                .build();
    }

    @Test
    void listsReadyReplicasButNotThisOne() {
        var slice = slice(
                "policy-server",
                endpoint(OWN, "10.0.0.1", true),
                endpoint(OTHER, "10.0.0.2", true),
                endpoint("policy-server-s-2", "10.0.0.3", false),
                endpoint("policy-server-s-3", "10.0.0.4", null));

        assertThat(ReadyPeers.others(List.of(slice), OWN)).containsExactly(new InetSocketAddress("10.0.0.2", 8443));
    }

    @Test
    void listsAPodWithTwoIpFamiliesOnce() {
        var slices = List.of(
                slice("policy-server", endpoint(OTHER, "10.0.0.2", true)),
                slice("policy-server", endpoint(OTHER, "fd00::2", true)));

        assertThat(ReadyPeers.others(slices, OWN)).containsExactly(new InetSocketAddress("10.0.0.2", 8443));
    }

    @Test
    void skipsHostNamesAndSlicesWithoutTheWebhookPort() {
        var slices = List.of(
                slice("another", endpoint(OTHER, "10.0.0.2", true)),
                slice("policy-server", endpoint(OTHER, "peer.example.com", true)),
                new EndpointSliceBuilder()
                        .withEndpoints(endpoint(OTHER, "10.0.0.2", true))
                        .build());

        assertThat(ReadyPeers.others(slices, OWN)).isEmpty();
    }
}
