package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The information that users get from kubectl alone. */
@Tag("level1")
@RealCluster
@NeedsTools("kubectl")
class KubectlIT {

    private static final String POLICY = "clusteradmissionpolicy/story";

    private static SimulatedInstallation installation;
    private static TestCluster cluster;

    @BeforeAll
    static void install(TestCluster testCluster) {
        cluster = testCluster;
        installation = new SimulatedInstallation(testCluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private static ShellCommand kubectl(String... words) {
        var all = new ArrayList<>(List.of(
                Tools.current().path("kubectl").toString(),
                "--kubeconfig",
                cluster.local().kubeconfig().toString()));
        all.addAll(List.of(words));
        return ShellCommand.of(all);
    }

    @Test
    void kubectlShowsAFailedUpdate() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "story", server);

        kubectl("wait", "--for=condition=Enforced", POLICY, "--timeout=20s").run();
        kubectl("wait", "--for=jsonpath={.status.policyStatus}=active", POLICY, "--timeout=20s")
                .run();
        assertThat(kubectl("get", POLICY).run().lines().toList())
                .satisfiesExactly(
                        header -> assertThat(header).contains("POLICY SERVER", "MODE", "STATUS", "PHASE", "AGE"),
                        row -> assertThat(row).contains(server.name(), "protect", "active", "Active"));
        assertThat(kubectl("get", POLICY, "-o", "wide").run().lines().toList())
                .satisfiesExactly(
                        header -> assertThat(header).contains("ACTIVEGEN", "ENFORCED"),
                        row -> assertThat(row).contains("True"));

        policy.edit(spec -> spec.putObject("settings").put("wrong", true));
        policy.awaitRevision(2);
        server.lead(policy.revision(2), Reason.INVALID_SETTINGS, "the key wrong is not known");
        policy.await(status -> status.phase() == Phase.FAILED);
        policy.awaitEvents("InitializationFailed", "PolicyUpdating");

        assertThat(kubectl("get", POLICY).run()).contains("pending", "Failed");
        assertThat(kubectl("wait", "--for=condition=Enforced", POLICY, "--timeout=1s")
                        .attempt()
                        .succeeded())
                .isFalse();
        var description = kubectl("describe", POLICY).run();
        assertThat(description)
                .contains("Reason:", "PartiallyEnforced")
                .contains("generation 1 is enforced instead of 2")
                .contains("ClusterAdmissionPolicy is invalid");
        assertThat(description.substring(description.indexOf("Events:")))
                .contains("RevisionCreated", "PolicyActivated", "PolicyUpdating")
                .containsPattern("Warning\\s+InitializationFailed")
                .contains("InvalidSettings: the key wrong is not known");
    }
}
