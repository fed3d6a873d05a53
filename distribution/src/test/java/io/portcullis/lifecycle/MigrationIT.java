package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.core.webhook.WebhookNames;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From an installation of Kubewarden to ours, with requests all the time: docs/operators/migration.md. */
@Tag("level1")
@Tag("alone")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
class MigrationIT {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String POLICY = "no-privileged-pods";
    private static final String TENANTS = "tenants-own";
    private static final String SERVER = "policy-server-default";

    private final TestCluster cluster;
    /** Where the pods of this test are asked for. */
    private final String watched;

    MigrationIT(TestCluster cluster) {
        this.cluster = cluster;
        this.watched = cluster.namespace() + "-watched";
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(watched)
                .endMetadata()
                .build());
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(watched)
                .endMetadata()
                .build());
    }

    /** Whatever came of the test: others share the cluster. */
    @AfterEach
    void removeEverything() {
        var client = cluster.client();
        var admission = client.admissionRegistration().v1();
        admission.validatingWebhookConfigurations().list().getItems().stream()
                .filter(webhook -> webhook.getWebhooks().stream().anyMatch(entry -> isOurs(entry.getClientConfig())))
                .forEach(webhook -> client.resource(webhook).delete());
        admission.mutatingWebhookConfigurations().list().getItems().stream()
                .filter(webhook -> webhook.getWebhooks().stream().anyMatch(entry -> isOurs(entry.getClientConfig())))
                .forEach(webhook -> client.resource(webhook).delete());
        release(client.resources(ClusterAdmissionPolicy.class).withName(POLICY));
        release(client.resources(AdmissionPolicy.class).inNamespace(watched).withName(TENANTS));
        release(client.resources(PolicyServer.class).withName("default"));
    }

    private boolean isOurs(WebhookClientConfig target) {
        return target.getService() != null && target.getService().getNamespace().equals(cluster.namespace());
    }

    private static <T extends HasMetadata> void release(Resource<T> resource) {
        if (resource.get() != null) {
            resource.edit(object -> {
                object.getMetadata().setFinalizers(List.of());
                return object;
            });
            resource.delete();
        }
    }

    @Test
    void policiesOfKubewardenAreServedByUsWithoutAGap(@TempDir Path directory) throws InterruptedException {
        try (var installation = Installation.prepare(cluster, directory)) {
            var module = installation.push("privileged-pods", "v1");
            new Kubewarden(cluster.client(), cluster.namespace(), watched, directory)
                    .install(module, installation.registry().host());
            var requests = installation.requests(watched);
            await().atMost(LIMIT)
                    .until(() -> installation.pods().all().stream().anyMatch(HostPod::isReady)
                            && requests.privilegedPod() instanceof Answer.Denied
                            && requests.ordinaryPod() instanceof Answer.Allowed);
            Queue<String> early = new ConcurrentLinkedQueue<>();
            var load = Load.start(requests, 10);

            try (var _ = cluster.client()
                    .admissionRegistration()
                    .v1()
                    .validatingWebhookConfigurations()
                    .inform(new Watching<>(webhook -> noteIfEarly(webhook, early)))) {
                installation.install(List.of());
                awaitEnforced(
                        cluster.client().resources(ClusterAdmissionPolicy.class).withName(POLICY));
                awaitEnforced(cluster.client()
                        .resources(AdmissionPolicy.class)
                        .inNamespace(watched)
                        .withName(TENANTS));
                await().atMost(LIMIT)
                        .until(() -> !webhooks().contains("clusterwide-" + POLICY)
                                && !webhooks().contains("namespaced-" + watched + "-" + TENANTS));
            }

            await("enough requests").atMost(LIMIT).until(() -> load.answered() > 100);
            assertThat(load.finish()).isEmpty();
            assertThat(early)
                    .as("webhooks that named a generation while old pods answered")
                    .isEmpty();
            assertThat(webhooks()).contains("kw.cap." + POLICY, "kw.ap." + watched + "." + TENANTS);
            assertThat(deployment()).isFalse();
            assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
            assertThat(installation.pods().all()).extracting(HostPod::name).containsExactly(SERVER + "-0");
        }
    }

    private void noteIfEarly(ValidatingWebhookConfiguration webhook, Queue<String> early) {
        boolean isEarly = webhook.getWebhooks().stream()
                .map(entry -> entry.getClientConfig().getService())
                .anyMatch(service -> service != null && WebhookNames.generation(service.getPath()) > 0 && deployment());
        if (isEarly) {
            early.add(webhook.getMetadata().getName());
        }
    }

    private boolean deployment() {
        return cluster.client()
                        .apps()
                        .deployments()
                        .inNamespace(cluster.namespace())
                        .withName(SERVER)
                        .get()
                != null;
    }

    private <T extends Policy> void awaitEnforced(Resource<T> policy) {
        cluster.await(
                policy,
                found -> found.getStatus() != null
                        && found.getStatus().activeGeneration() == 1
                        && found.getStatus()
                                .condition(ConditionType.ENFORCED)
                                .filter(Condition::isTrue)
                                .isPresent(),
                LIMIT);
    }

    private List<String> webhooks() {
        return cluster
                .client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .list()
                .getItems()
                .stream()
                .map(webhook -> webhook.getMetadata().getName())
                .toList();
    }
}
