package io.portcullis.controller.policyserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The StatefulSet takes over from a Deployment of an earlier release without a gap. */
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

    private static Optional<Service> service(String label) {
        return Optional.of(new ServiceBuilder()
                .withNewSpec()
                .withSelector(Map.of(label, "x"))
                .endSpec()
                .build());
    }

    private static final Optional<Service> OLD = service("app.kubernetes.io/instance");

    @Test
    void withoutDeploymentOurPodsAnswer() {
        var migration = Migration.decide(NAMES, Optional.empty(), Optional.empty(), STARTING, List.of());

        assertThat(migration.selector()).containsEntry("kubewarden.io/workload", "statefulset");
        assertThat(migration.waiting()).isEmpty();
        assertThat(migration.removesDeployment()).isFalse();
    }

    @Test
    void oldPodsAnswerWhileNewOnesStart() {
        var migration = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, STARTING, List.of());

        assertThat(migration.selector())
                .containsEntry("kubewarden/config-version", "42")
                .doesNotContainKey("kubewarden.io/workload");
        assertThat(migration.waiting())
                .hasValueSatisfying(text -> assertThat(text).contains("1 of 2 replicas"));
        assertThat(migration.removesDeployment()).isFalse();
    }

    @Test
    void oldPodsAnswerUntilEveryPolicyIsLoaded() {
        var migration = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, READY, List.of("ns/p"));

        assertThat(migration.selector()).containsKey("kubewarden/config-version");
        assertThat(migration.waiting()).contains("waiting for policies to be loaded: ns/p");
    }

    @Test
    void thenTheServiceSwitchesAndOnlyThenTheDeploymentGoes() {
        var switching = Migration.decide(NAMES, Optional.of(DEPLOYMENT), OLD, READY, List.of());
        assertThat(switching.selector()).containsKey("kubewarden.io/workload");
        assertThat(switching.removesDeployment()).isFalse();

        var switched =
                Migration.decide(NAMES, Optional.of(DEPLOYMENT), service("kubewarden.io/workload"), READY, List.of());
        assertThat(switched.removesDeployment()).isTrue();
    }

    @Test
    void thereIsNoWayBack() {
        var migration = Migration.decide(
                NAMES, Optional.of(DEPLOYMENT), service("kubewarden.io/workload"), STARTING, List.of("p"));

        assertThat(migration.selector()).containsKey("kubewarden.io/workload");
    }
}
