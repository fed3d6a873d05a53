package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Phase;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names of the old kind, which two policies can have at once. */
@Tag("level1")
@RealCluster
class IdentityConflictIT {

    private static Installation installation;
    private static TestCluster cluster;

    @BeforeAll
    static void install(TestCluster given) {
        cluster = given;
        installation = new Installation(given, IdentityScheme.LEGACY);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    @Test
    void aGroupCannotTakeTheNameOfAnOlderPolicyUntilThatGoes() {
        var server = installation.server(1);
        conflict(
                PlayedPolicy.active(installation, "group-x", server),
                PlayedPolicy.group(installation, "x", server),
                "group-x (ClusterAdmissionPolicy)");
    }

    @Test
    void aTenantCannotTakeTheNameOfAnother() {
        var server = installation.server(1);
        for (String namespace : new String[] {"tenant", "tenant-a"}) {
            cluster.apply(new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(namespace)
                    .endMetadata()
                    .build());
        }
        // Of the same second, the one that comes first by kind, namespace and name precedes.
        var first = PlayedPolicy.namespaced(installation, "tenant", "a-b", server, _ -> {});
        first.awaitActive(1);
        conflict(
                first,
                PlayedPolicy.namespaced(installation, "tenant-a", "b", server, _ -> {}),
                "tenant/a-b (AdmissionPolicy)");
    }

    private static void conflict(PlayedPolicy first, PlayedPolicy second, String name) {
        assertThat(second.id()).isEqualTo(first.id());
        var before = first.webhook().orElseThrow().object().getMetadata();

        var status = second.awaitPlaying(
                known -> known.condition(ACCEPTED).orElseThrow().reason().equals("Conflicted"));
        assertThat(status.phase()).isEqualTo(Phase.FAILED);
        assertThat(status.condition(ACCEPTED).orElseThrow().message()).contains(name);
        assertThat(second.revisions()).isEmpty();
        second.awaitEvents("PolicyConflicted");
        assertThat(first.webhook().orElseThrow().object().getMetadata()).isEqualTo(before);
        first.awaitActive(1);

        first.delete();
        await().until(first::isGone);
        second.awaitActive(1);
        assertThat(second.webhook().orElseThrow().policyUid())
                .contains(second.get().getMetadata().getUid());
    }
}
