package io.portcullis.capabilities.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.ResourceAttributes;
import io.portcullis.evaluator.host.KubernetesReader.ListQuery;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests paged lists, watches and errors against a real API server. */
@Tag("level1")
@RealCluster
class ClusterReaderIT {

    private static final Deadline SOON = Deadline.after(Duration.ofMinutes(2));

    private final TestCluster cluster;

    ClusterReaderIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    private ListQuery configMaps() {
        return new ListQuery(
                "v1",
                "ConfigMap",
                Optional.of(cluster.namespace()),
                Optional.of("made-by=test"),
                Optional.empty(),
                List.of());
    }

    private void createConfigMap(String name) {
        cluster.apply(new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(cluster.namespace())
                .withLabels(Map.of("made-by", "test"))
                .endMetadata()
                .build());
    }

    @Test
    void updatesListsByWatchAndReusesUnchangedLists() {
        createConfigMap("first");
        try (var reader = new ClusterReader(cluster.client(), Clock.systemUTC())) {
            var before = reader.list(configMaps(), SOON);
            assertThat(text(before)).contains("\"first\"");
            assertThat(reader.list(configMaps(), SOON)).isSameAs(before);

            createConfigMap("second");

            await().untilAsserted(() ->
                    assertThat(text(reader.list(configMaps(), SOON))).contains("\"first\"", "\"second\""));
            assertThat(reader.watchedLists()).isEqualTo(1);
        }
    }

    @Test
    void getsObjectsAndNamesMissingObjectsInErrors() {
        try (var reader = new ClusterReader(cluster.client(), Clock.systemUTC())) {
            var found = new KubernetesGetResource("v1", "Namespace", cluster.namespace(), null, false, List.of());
            var missing = new KubernetesGetResource("v1", "ConfigMap", "nope", cluster.namespace(), false, null);

            assertThat(text(reader.get(found, SOON))).contains(cluster.namespace());
            assertThat(reader.pluralName("v1", "Namespace", SOON)).isEqualTo("namespaces");
            assertThatThrownBy(() -> reader.get(missing, SOON))
                    .isInstanceOf(HostCallException.class)
                    .hasMessageStartingWith("Cannot find v1/ConfigMap named 'nope' inside of namespace '");
            assertThatThrownBy(() -> reader.pluralName("example.com/v1", "Nothing", SOON))
                    .hasMessage("Cannot find resource example.com/v1/Nothing");
        }
    }

    @Test
    void reportsForbiddenListsAtOnce() {
        var config = new ConfigBuilder(cluster.client().getConfiguration())
                .withImpersonateUsername("nobody")
                .build();
        try (var client = new KubernetesClientBuilder().withConfig(config).build();
                var reader = new ClusterReader(client, Clock.systemUTC())) {
            assertThatThrownBy(() -> reader.list(configMaps(), SOON)).hasMessageContaining("is forbidden");
            assertThat(reader.watchedLists()).isZero();
        }
    }

    @Test
    void reviewsTheAccessOfAUser() {
        try (var reader = new ClusterReader(cluster.client(), Clock.systemUTC())) {
            var review = new AccessReview(
                    "nobody", null, new ResourceAttributes(null, null, null, "pods", null, "get", null));

            assertThat(text(reader.canI(review, SOON))).contains("\"allowed\":false");
        }
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
