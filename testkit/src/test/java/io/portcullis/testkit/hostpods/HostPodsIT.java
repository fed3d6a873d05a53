package io.portcullis.testkit.hostpods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("level1")
@RealCluster(level = Level.API)
class HostPodsIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PORT = 18080;

    private final TestCluster cluster;

    HostPodsIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void runsScalesRestartsAndRollsOutAStatefulSet(@TempDir Path directory) throws Exception {
        cluster.apply(new SecretBuilder()
                .withNewMetadata()
                .withName("page")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withStringData(Map.of("index.html", "first"))
                .build());
        cluster.apply(service());
        cluster.apply(statefulSet(2, "one"));
        try (var pods = HostPods.start(
                cluster,
                cluster.namespace(),
                directory,
                container -> List.of(
                        "sh",
                        "-c",
                        "cd \"$PAGE\" && exec python3 -m http.server " + PORT
                                + " --bind \"$KUBEWARDEN_BIND_ADDRESS\""))) {
            cluster.await(set(), set -> isReady(set, 2), LIMIT);
            assertThat(get(pods.pod("web-1"))).isEqualTo("first");
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(addresses())
                            .containsExactlyInAnyOrder(
                                    pods.pod("web-0").address(),
                                    pods.pod("web-1").address()));

            var uid = pods.pod("web-0").uid();
            pods.pod("web-0").kill();
            await().atMost(LIMIT)
                    .until(() -> pods.pod("web-0").restarts() == 1
                            && pods.pod("web-0").isReady());
            assertThat(pods.pod("web-0").uid()).isEqualTo(uid);

            set().scale(1);
            await().atMost(LIMIT).until(() -> pods.all().size() == 1);
            await().atMost(LIMIT).untilAsserted(() -> assertThat(addresses()).hasSize(1));

            cluster.apply(statefulSet(1, "two"));
            await().atMost(LIMIT)
                    .ignoreExceptions()
                    .until(() -> !pods.pod("web-0").uid().equals(uid));
            cluster.await(set(), set -> isReady(set, 1), LIMIT);

            // The StatefulSet is created again before the loop observes its deletion. Its pods must still be replaced.
            var uidAfterRollout = pods.pod("web-0").uid();
            set().delete();
            cluster.apply(statefulSet(1, "two"));
            await().atMost(LIMIT)
                    .ignoreExceptions()
                    .until(() -> !pods.pod("web-0").uid().equals(uidAfterRollout));
        }
        assertThat(cluster.client()
                        .pods()
                        .inNamespace(cluster.namespace())
                        .list()
                        .getItems())
                .isEmpty();
    }

    private static boolean isReady(StatefulSet set, int replicas) {
        var status = set.getStatus();
        return status != null
                && set.getMetadata().getGeneration().equals(status.getObservedGeneration())
                && status.getReadyReplicas() != null
                && status.getReadyReplicas() == replicas;
    }

    private List<String> addresses() {
        return cluster
                .client()
                .discovery()
                .v1()
                .endpointSlices()
                .inNamespace(cluster.namespace())
                .list()
                .getItems()
                .stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .filter(endpoint -> endpoint.getConditions().getReady())
                .flatMap(endpoint -> endpoint.getAddresses().stream())
                .toList();
    }

    private static String get(HostPod pod) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://" + pod.address() + ":" + PORT + "/"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        }
    }

    private RollableScalableResource<StatefulSet> set() {
        return cluster.client()
                .apps()
                .statefulSets()
                .inNamespace(cluster.namespace())
                .withName("web");
    }

    private io.fabric8.kubernetes.api.model.Service service() {
        return new ServiceBuilder()
                .withNewMetadata()
                .withName("web")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .withSelector(Map.of("app", "web"))
                .addNewPort()
                .withName("http")
                .withPort(80)
                .withNewTargetPort(PORT)
                .endPort()
                .endSpec()
                .build();
    }

    private StatefulSet statefulSet(int replicas, String version) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withName("web")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withServiceName("web")
                .withNewSelector()
                .addToMatchLabels("app", "web")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "web")
                .addToAnnotations("version", version)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("web")
                .withImage("web")
                .addNewEnv()
                .withName("PAGE")
                .withValue("/page")
                .endEnv()
                .addNewVolumeMount()
                .withName("page")
                .withMountPath("/page")
                .endVolumeMount()
                .withNewReadinessProbe()
                .withNewHttpGet()
                .withPath("/")
                .withNewPort(PORT)
                .endHttpGet()
                .endReadinessProbe()
                .endContainer()
                .addNewVolume()
                .withName("page")
                .withNewSecret()
                .withSecretName("page")
                .endSecret()
                .endVolume()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
