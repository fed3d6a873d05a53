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

/** Policy IDs of the legacy scheme, which two policies can share. */
@Tag("level1")
@RealCluster
class IdentityConflictIT {

    private static SimulatedInstallation installation;
    private static TestCluster cluster;

    @BeforeAll
    static void install(TestCluster testCluster) {
        cluster = testCluster;
        installation = new SimulatedInstallation(testCluster, IdentityScheme.LEGACY);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    @Test
    void aGroupCannotUseTheIdOfAnOlderPolicyUntilItsDeletion() {
        var server = installation.server(1);
        assertConflict(
                SimulatedPolicy.active(installation, "group-x", server),
                SimulatedPolicy.group(installation, "x", server),
                "group-x (ClusterAdmissionPolicy)");
    }

    @Test
    void aTenantCannotUseTheIdOfAnotherTenantsPolicy() {
        var server = installation.server(1);
        for (String namespace : new String[] {"tenant", "tenant-a"}) {
            cluster.apply(new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(namespace)
                    .endMetadata()
                    .build());
        }
        // For policies created in the same second, the order by kind, namespace and name decides.
        var first = SimulatedPolicy.namespaced(installation, "tenant", "a-b", server, _ -> {});
        first.awaitActive(1);
        assertConflict(
                first,
                SimulatedPolicy.namespaced(installation, "tenant-a", "b", server, _ -> {}),
                "tenant/a-b (AdmissionPolicy)");
    }

    private static void assertConflict(SimulatedPolicy first, SimulatedPolicy second, String name) {
        assertThat(second.id()).isEqualTo(first.id());
        var before = first.webhook().orElseThrow().object().getMetadata();

        var status = second.awaitWithServers(candidate ->
                candidate.condition(ACCEPTED).orElseThrow().reason().equals("Conflicted"));
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
