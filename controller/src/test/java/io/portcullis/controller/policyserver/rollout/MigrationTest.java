package io.portcullis.controller.policyserver.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The migration from a Deployment of an earlier release to a StatefulSet, without a gap. */
class MigrationTest {

    private static final ServerNames NAMES = new ServerNames("a");
    private static final Rollout READY = new Rollout(true, 2, 2, 2, 2);
    private static final Rollout STARTING = new Rollout(true, 2, 2, 2, 1);

    private static final Deployment DEPLOYMENT = new DeploymentBuilder()
            .withNewSpec()
            .withNewTemplate()
            .withNewMetadata()
            .addToLabels("kubewarden/config-version", "42")
            .endMetadata()
            .endTemplate()
            .endSpec()
            .build();

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static Optional<Service> service(String label, Map<String, String> annotations) {
        return Optional.of(new ServiceBuilder()
                .withNewMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withSelector(Map.of(label, "x"))
                .endSpec()
                .build());
    }

    private static final Optional<Service> OLD = service("app.kubernetes.io/instance", Map.of());

    @Test
    void selectsThePodsOfTheStatefulSetWithoutADeployment() {
        var migration = Migration.decide(NAMES, Optional.empty(), Optional.empty(), STARTING, List.of(), NOW);

        assertThat(migration.selector()).containsEntry("kubewarden.io/workload", "statefulset");
        assertThat(migration.waiting()).isEmpty();
        assertThat(migration.removesDeployment()).isFalse();
    }

    @Test
    void selectsOldPodsWhileNewPodsStart() {
        var migration = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, STARTING, List.of(), NOW);

        assertThat(migration.selector())
                .containsEntry("kubewarden/config-version", "42")
                .doesNotContainKey("kubewarden.io/workload");
        assertThat(migration.waiting())
                .hasValueSatisfying(text -> assertThat(text).contains("1 of 2 replicas"));
        assertThat(migration.removesDeployment()).isFalse();
    }

    @Test
    void selectsOldPodsUntilEveryPolicyIsLoaded() {
        var migration = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, READY, List.of("ns/p"), NOW);

        assertThat(migration.selector()).containsKey("kubewarden/config-version");
        assertThat(migration.waiting()).contains("waiting for policies to be loaded: ns/p");
    }

    private static Migration switched(String at) {
        return Migration.decide(
                NAMES,
                Optional.of(DEPLOYMENT),
                service("kubewarden.io/workload", Map.of("kubewarden.io/switched-at", at)),
                READY,
                List.of(),
                NOW);
    }

    @Test
    void switchesTheServiceAndRecordsTheTime() {
        var switching = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, READY, List.of(), NOW);

        assertThat(switching.selector()).containsKey("kubewarden.io/workload");
        assertThat(switching.annotations()).isEqualTo(Map.of("kubewarden.io/switched-at", "2026-01-01T00:00:00Z"));
        assertThat(switching.removesDeployment()).isFalse();
        assertThat(switching.recheck(NOW)).contains(Migration.SETTLING.plusMillis(1));
    }

    @Test
    void removesTheDeploymentWhenNoRequestCanReachItAnyMore() {
        var early = switched("2025-12-31T23:59:51Z");
        assertThat(early.removesDeployment()).isFalse();
        assertThat(early.waiting()).hasValueSatisfying(text -> assertThat(text).contains("every node"));
        assertThat(early.recheck(NOW)).contains(Duration.ofMillis(1001));

        var late = switched("2025-12-31T23:59:50Z");
        assertThat(late.removesDeployment()).isTrue();
        assertThat(late.waiting()).isEmpty();
        assertThat(late.recheck(NOW)).isEmpty();
    }

    @Test
    void replacesAnUnreadableSwitchTime() {
        var migration = switched("yesterday");

        assertThat(migration.removesDeployment()).isFalse();
        assertThat(migration.switchedAt()).contains(NOW);
    }

    @Test
    void neverSwitchesBack() {
        var migration = Migration.decide(
                NAMES,
                Optional.of(DEPLOYMENT),
                service("kubewarden.io/workload", Map.of()),
                STARTING,
                List.of("p"),
                NOW);

        assertThat(migration.selector()).containsKey("kubewarden.io/workload");
    }
}
