package io.portcullis.controller.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real API server accepts everything that the charts render. */
@Tag("level1")
@RealCluster(level = Level.API)
@NeedsTools({"helm", "kubectl"})
class ChartsIT {

    private final TestCluster cluster;

    ChartsIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    private String kubectl(String... words) {
        var all = new ArrayList<>(List.of(Tools.current().path("kubectl").toString()));
        all.addAll(List.of(words));
        return ShellCommand.of(all)
                .with("KUBECONFIG", cluster.local().kubeconfig().toString())
                .run();
    }

    @Test
    void acceptsAllManifests(@TempDir Path directory) throws IOException {
        var namespace = cluster.namespace();
        var crds = Files.writeString(directory.resolve("crds.yaml"), new Chart("portcullis-crds").render(namespace));
        kubectl("apply", "--server-side", "--force-conflicts", "-f", crds.toString());
        kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", crds.toString());
        var manifests = Files.writeString(
                directory.resolve("all.yaml"),
                new Chart("portcullis").render(namespace) + "\n---\n"
                        + new Chart("portcullis").render(namespace, ChartsTest.EVERYTHING) + "\n---\n"
                        + new Chart("portcullis-defaults").render(namespace, ChartsTest.RECOMMENDED));

        var accepted =
                kubectl("apply", "--server-side", "--validate=strict", "--dry-run=server", "-f", manifests.toString());

        assertThat(accepted)
                .contains(
                        "deployment.apps/kubewarden-controller",
                        "cronjob.batch/audit-scanner",
                        "policyserver.policies.kubewarden.io/default",
                        "clusteradmissionpolicy.policies.kubewarden.io/no-privileged-pod")
                .doesNotContain("Warning");
    }

    @Test
    void explainsEveryKindInKubectl() {
        cluster.installCrds();
        for (var kind : List.of(
                "policyservers",
                "admissionpolicies",
                "clusteradmissionpolicies",
                "admissionpolicygroups",
                "clusteradmissionpolicygroups",
                "policyrevisions")) {
            for (var part : List.of("", ".spec", ".status", ".status.conditions")) {
                assertThat(kubectl("explain", kind + part))
                        .as("%s%s", kind, part)
                        .contains("DESCRIPTION:", "FIELDS:")
                        .doesNotContain("<empty>", "<no description>");
            }
        }
        assertThat(kubectl("explain", "clusteradmissionpolicy.spec.timeoutEvalSeconds"))
                .contains("FIELD: timeoutEvalSeconds <integer>");
    }
}
