package io.portcullis.controller.policy.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the facts that are derived from single objects. */
class ServersTest {

    private static PodBuilder pod(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("kubewarden/policy-server", "tenant-1")
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .endMetadata();
    }

    @ParameterizedTest
    @CsvSource({
        "policy-server-tenant-1-0,       0",
        "policy-server-tenant-1-12,      12",
        "policy-server-tenant-1-7d9f-xx, -1",
        "policy-server-tenant-1-01,      -1",
        "something-else-3,               -1",
    })
    void treatsOnlyPodsOfTheStatefulSetAsReplicas(String name, int ordinal) {
        assertThat(Servers.ordinal(pod(name).build()))
                .isEqualTo(ordinal < 0 ? OptionalInt.empty() : OptionalInt.of(ordinal));
    }

    @Test
    void parsesReplicaNamesOfShortenedServerNames() {
        var server = "n".repeat(49);
        var replica = pod(PolicyServerNames.statefulSet(server) + "-1")
                .editMetadata()
                .addToLabels("kubewarden/policy-server", server)
                .endMetadata()
                .build();

        assertThat(replica.getMetadata().getName()).hasSize(54);
        assertThat(Servers.ordinal(replica)).isEqualTo(OptionalInt.of(1));
    }

    @ParameterizedTest
    @CsvSource({
        "'',      ,                     0,  2026-01-01T00:00:00Z", // no lease
        "'',      2026-01-01T00:05:00Z, 15, 2026-01-01T00:05:00Z", // released
        "replica, 2026-01-01T00:05:00Z, 15, 2026-01-01T00:05:15Z", // held until the lease expires
        "replica, ,                     15, 2026-01-01T00:00:00Z",
        "replica, 2025-12-31T00:00:00Z, 15, 2025-12-31T00:00:15Z", // expired before the wait started
    })
    void aServerIsWithoutLeaderSinceTheEndOfItsLease(String holder, String renewed, int seconds, Instant since) {
        var lease = new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withRenewTime(renewed == null ? null : ZonedDateTime.parse(renewed))
                .withLeaseDurationSeconds(seconds)
                .endSpec()
                .build();

        assertThat(Servers.unheldSince(
                        seconds == 0 ? Optional.empty() : Optional.of(lease), Instant.parse("2026-01-01T00:00:00Z")))
                .isEqualTo(since);
    }

    @Test
    void aPodIsNotReadySinceItsConditionCreationOrDeletion() {
        var fresh = pod("a").build();
        var ready = pod("a").withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withLastTransitionTime("2026-01-01T00:01:00Z")
                .endCondition()
                .endStatus();
        var down = pod("a").withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("False")
                .withLastTransitionTime("2026-01-01T00:02:00Z")
                .endCondition()
                .endStatus()
                .build();
        var deleting = new PodBuilder(ready.build())
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:03:30Z")
                .withDeletionGracePeriodSeconds(30L)
                .endMetadata()
                .build();

        assertThat(Servers.notReadySince(fresh)).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(Servers.notReadySince(ready.build())).isEmpty();
        assertThat(Servers.notReadySince(down)).contains(Instant.parse("2026-01-01T00:02:00Z"));
        assertThat(Servers.notReadySince(deleting)).contains(Instant.parse("2026-01-01T00:03:00Z"));
    }

    @ParameterizedTest
    @CsvSource({
        "3, 2, 2, 3, 3, 3, true",
        "3, 2, 1, 3, 3, 3, false", // the latest spec is not observed yet
        "2, 2, 2, 3, 3, 3, false", // the workload has another size than it should
        "3, 2, 2, 3, 2, 3, false", // one is not ready
        "3, 2, 2, 3, 3, 2, false", // one runs the old rollout
        "3, 2, 2, 4, 3, 3, false", // one too many is left
    })
    void isSettledWhenAllReplicasOfTheLatestRolloutAreReady(
            int wanted, long generation, long observed, int replicas, int ready, int updated, boolean expected) {
        StatefulSet workload = new StatefulSetBuilder()
                .withNewMetadata()
                .withGeneration(generation)
                .endMetadata()
                .withNewSpec()
                .withReplicas(wanted)
                .endSpec()
                .withNewStatus()
                .withObservedGeneration(observed)
                .withReplicas(replicas)
                .withReadyReplicas(ready)
                .withUpdatedReplicas(updated)
                .endStatus()
                .build();

        assertThat(Servers.isSettled(workload, 3)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/validate/kw.cap.x/7,   policy-server-a, 7, a",
        "/validate/kw.cap.x,     policy-server-a, 0, a",
        "/validate/kw.cap.x/0,   policy-server-a, 0, a",
        "/validate/kw.cap.x/7/8, something-else,  0, ''",
    })
    void readsGenerationAndServerFromTheWebhookPathAndService(
            String path, String service, long generation, String server) {
        var webhook = new LiveWebhook(new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .endMetadata()
                .addNewWebhook()
                .withNewClientConfig()
                .withNewService()
                .withName(service)
                .withPath(path)
                .endService()
                .endClientConfig()
                .endWebhook()
                .build());

        assertThat(webhook.generation()).isEqualTo(generation);
        assertThat(webhook.policyServer()).isEqualTo(server);
        assertThat(webhook.caBundle()).isEmpty();
        assertThat(webhook.belongsTo("anybody")).isTrue();
    }

    @Test
    void restartsTheMissingTimeWhenTheWallClockIsSetBackByAnHour() {
        var known = Instant.parse("2026-01-01T01:00:00Z");
        var setBack = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(Servers.earlier(known, setBack)).isEqualTo(setBack);
        assertThat(Servers.earlier(known, known.plusSeconds(5))).isEqualTo(known);
    }
}
