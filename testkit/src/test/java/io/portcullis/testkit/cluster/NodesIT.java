package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Level 3 with two nodes: real pods, DNS, Services, shared storage and node failures. */
@Tag("level3")
@RealCluster(level = Level.NODES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NodesIT {

    private final TestCluster cluster;

    NodesIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void podResolvesOnlyClusterNames() {
        var pod = Pods.shell(
                cluster, "resolver", "nslookup kubernetes.default.svc.cluster.local && ! nslookup example.com");

        assertThat(Pods.runToCompletion(cluster, pod.build())).contains("Name:\tkubernetes.default.svc.cluster.local");
    }

    @Test
    void serviceIsReachableByNameFromTheOtherNodeAndByAddressFromTheHost() throws Exception {
        var web = Pods.shell(cluster, "web", "echo hello >/www/index.html && httpd -f -p 8080 -h /www")
                .editSpec()
                .addNewVolume()
                .withName("www")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("www")
                .withMountPath("/www")
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .build();
        Pods.start(cluster, on(1, web));
        var service = cluster.apply(new ServiceBuilder()
                .withNewMetadata()
                .withName("web")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .withSelector(Map.of("app", "web"))
                .addNewPort()
                .withPort(80)
                .withNewTargetPort(8080)
                .endPort()
                .endSpec()
                .build());
        // kube-proxy programs a new Service with a short delay.
        var withRetries = "for i in $(seq 50); do timeout 2 wget -q -O - http://web && exit 0; sleep 0.2; done; exit 1";

        assertThat(Pods.runToCompletion(
                        cluster,
                        on(2, Pods.shell(cluster, "visitor", withRetries).build())))
                .isEqualTo("hello");
        try (var http = HttpClient.newHttpClient()) {
            var url = URI.create("http://" + service.getSpec().getClusterIP() + "/");
            assertThat(http.send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                            .body())
                    .isEqualTo("hello\n");
        }
    }

    @Test
    void volumeIsSharedByPodsOnBothNodes() {
        cluster.apply(new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName("cache")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .withStorageClassName("shared")
                .withVolumeName("shared")
                .withAccessModes("ReadWriteMany")
                .withNewResources()
                .addToRequests("storage", new Quantity("1Mi"))
                .endResources()
                .endSpec()
                .build());

        Pods.runToCompletion(
                cluster,
                on(
                        1,
                        withCache(Pods.shell(cluster, "writer", "echo from node 1 >/cache/note")
                                .build())));

        assertThat(Pods.runToCompletion(
                        cluster,
                        on(
                                2,
                                withCache(Pods.shell(cluster, "reader", "cat /cache/note")
                                        .build()))))
                .isEqualTo("from node 1");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void stoppedNodeBecomesNotReadyAndRecovers() {
        var node = cluster.client().nodes().withName("node2");

        cluster.local().stopNode(2);
        cluster.await(node, n -> !isReady(n), Pods.LIMIT);
        cluster.local().startNode(2);

        cluster.await(node, NodesIT::isReady, Pods.LIMIT);
        assertThat(Pods.runToCompletion(
                        cluster,
                        on(2, Pods.shell(cluster, "revived", "echo alive").build())))
                .isEqualTo("alive");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void disconnectedNodeBecomesNotReadyAndRecovers() {
        var node = cluster.client().nodes().withName("node2");

        cluster.local().cutNode(2);
        try {
            cluster.await(node, n -> !isReady(n), Pods.LIMIT);
        } finally {
            cluster.local().healNode(2);
        }

        cluster.await(node, NodesIT::isReady, Pods.LIMIT);
    }

    private static boolean isReady(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
    }

    private static Pod on(int node, Pod pod) {
        return pod.edit().editSpec().withNodeName("node" + node).endSpec().build();
    }

    private static Pod withCache(Pod pod) {
        return pod.edit()
                .editSpec()
                .addNewVolume()
                .withName("cache")
                .withNewPersistentVolumeClaim("cache", false)
                .endVolume()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("cache")
                .withMountPath("/cache")
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .build();
    }
}
