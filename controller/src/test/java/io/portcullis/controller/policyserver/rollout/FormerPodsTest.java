package io.portcullis.controller.policyserver.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FormerPodsTest {

    private static final String SET = "policy-server-default";
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private static Pod pod(String name) {
        return new PodBuilder().withNewMetadata().withName(name).endMetadata().build();
    }

    private static Pod ownedBy(String kind, String owner, String name) {
        return new PodBuilder(pod(name))
                .editMetadata()
                .addNewOwnerReference()
                .withKind(kind)
                .withName(owner)
                .withUid("gone")
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    @Test
    void waitsOnlyForPodsOfTheDeletedStatefulSet() {
        var pods = List.of(
                ownedBy("StatefulSet", SET, SET + "-1"),
                ownedBy("StatefulSet", SET, SET + "-0"),
                ownedBy("StatefulSet", "policy-server-other", "policy-server-other-0"),
                ownedBy("ReplicaSet", SET, SET + "-6ktwv"),
                pod(SET + "-2"));

        assertThat(FormerPods.of(SET, pods, NOW)).containsExactly(SET + "-0", SET + "-1");
    }

    @Test
    void limitsTheWaitForAPodOnALostNode() {
        var pod = ownedBy("StatefulSet", SET, SET + "-0");
        pod.getMetadata().setDeletionTimestamp(NOW.toString());

        assertThat(FormerPods.of(SET, List.of(pod), NOW.plusSeconds(30))).containsExactly(SET + "-0");
        assertThat(FormerPods.of(SET, List.of(pod), NOW.plusSeconds(31))).isEmpty();
    }
}
