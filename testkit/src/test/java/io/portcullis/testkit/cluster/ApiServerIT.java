package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Level 1: tests can rely on an API server without controllers and nodes. */
@Tag("level1")
@RealCluster(level = Level.API)
class ApiServerIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final TestCluster cluster;

    ApiServerIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void servesACustomResource() throws IOException {
        var client = cluster.client();
        try (var file = ApiServerIT.class.getResourceAsStream("/crd.yaml")) {
            cluster.apply(client.getKubernetesSerialization().unmarshal(file, CustomResourceDefinition.class));
        }
        cluster.await(
                client.apiextensions().v1().customResourceDefinitions().withName("gates.testkit.portcullis.io"),
                // A CRD has no status at first, and then a status without conditions.
                definition -> definition.getStatus() != null
                        && definition.getStatus().getConditions() != null
                        && definition.getStatus().getConditions().stream()
                                .anyMatch(c -> c.getType().equals("Established")
                                        && c.getStatus().equals("True")),
                LIMIT);
        // The client looks up kinds by discovery, which lists an established CRD with a delay.
        await().atMost(LIMIT).until(() -> {
            var listed = client.getApiResources("testkit.portcullis.io/v1");
            return listed != null && !listed.getResources().isEmpty();
        });

        var gate = new GenericKubernetesResource();
        gate.setApiVersion("testkit.portcullis.io/v1");
        gate.setKind("Gate");
        gate.setMetadata(new ObjectMetaBuilder()
                .withName("north")
                .withNamespace(cluster.namespace())
                .build());

        assertThat(cluster.apply(gate).getMetadata().getUid()).isNotEmpty();
    }

    @Test
    void admitsAPodThatNoNodeRuns() {
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName("idle")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("nowhere/nothing:1")
                .endContainer()
                .endSpec()
                .build();

        assertThat(cluster.apply(pod).getSpec().getServiceAccountName()).isEqualTo("default");
    }

    @Test
    void callsAWebhookThatRunsOnTheHost() {
        try (var webhook = DenyingWebhook.start(cluster)) {
            assertThatThrownBy(() -> cluster.client()
                            .resource(new ConfigMapBuilder()
                                    .withNewMetadata()
                                    .withName("unwanted")
                                    .withNamespace(cluster.namespace())
                                    .endMetadata()
                                    .build())
                            .create())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining(DenyingWebhook.MESSAGE);
            assertThat(webhook.calls()).isPositive();
        }
    }

    @Test
    void reportsTheObjectWhenAWaitTimesOut() {
        var namespace = cluster.client().namespaces().withName(cluster.namespace());

        assertThatThrownBy(() -> cluster.await(namespace, _ -> false, Duration.ofMillis(300)))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("name: \"" + cluster.namespace());
    }
}
