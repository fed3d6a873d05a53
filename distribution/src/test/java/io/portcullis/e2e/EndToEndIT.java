package io.portcullis.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.registry.LocalRegistry;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the end-to-end suite as a user of Kubewarden does who takes the old values along: images on the nodes, policies in a
 * registry, the values file converted, then one command.
 */
@Tag("level3")
@NeedsTools({"helm", "registry"})
@RealCluster(level = Level.NODES)
class EndToEndIT {

    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final Duration STEP_LIMIT = Duration.ofMinutes(5);
    private static final String CONTEXT = "portcullis";

    private final TestCluster cluster;
    private final Path root = Checkout.current().root();

    EndToEndIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void everySituationIsOkAndTheClusterIsLeftAsItWas(@TempDir Path directory) throws IOException {
        loadImages(directory);
        awaitNoInstallation();
        try (var registry = LocalRegistry.plainAt(cluster.local().hostAddress(), directory.resolve("registry"))) {
            pushPolicies(registry.host(), directory);
            var converted = convertedValues(directory);

            var outcome = suite(
                    "--context",
                    CONTEXT,
                    "--kubeconfig",
                    cluster.local().kubeconfig().toString(),
                    "--image-registry",
                    "localhost/portcullis",
                    "--image-tag",
                    "dev",
                    "--values",
                    converted.resolve("portcullis.yaml").toString(),
                    "--values",
                    shortTimes(directory).toString(),
                    "--defaults-values",
                    converted.resolve("portcullis-defaults.yaml").toString(),
                    "--policies-registry",
                    registry.host() + "/policies",
                    "--policies-insecure");

            assertThat(outcome.exitCode())
                    .as("%s%n%s", outcome.output(), outcome.errors())
                    .isZero();
            for (var situation : situations()) {
                assertThat(outcome.output()).containsPattern("(?m)^ok +\\d+ s  " + situation + "$");
            }
            assertThat(outcome.output()).contains("Cluster: context " + CONTEXT + ", https://");
        }
        assertThat(cluster.client()
                        .namespaces()
                        .withLabel("portcullis.io/e2e")
                        .list()
                        .getItems())
                .isEmpty();
        var admission = cluster.client().admissionRegistration().v1();
        assertThat(admission.validatingWebhookConfigurations().list().getItems())
                .isEmpty();
        assertThat(admission.mutatingWebhookConfigurations().list().getItems()).isEmpty();
    }

    /** The names that the suite itself lists. */
    private List<String> situations() {
        var names = suite("--list")
                .output()
                .lines()
                .map(line -> line.split(" ", 2)[0])
                .toList();
        assertThat(names).hasSizeGreaterThan(10);
        return names;
    }

    private void loadImages(Path directory) {
        for (var program : List.of("controller", "policy-server", "audit-scanner")) {
            var image = directory.resolve(program + ".tar");
            ShellCommand.of(Checkout.current().imageScript().toString(), "build", program, image.toString(), "dev")
                    .within(STEP_LIMIT)
                    .run();
            cluster.local().loadImage(image);
        }
    }

    /** The namespace of the previous test class may still be terminating. */
    private void awaitNoInstallation() {
        await("the end of an earlier installation")
                .atMost(STEP_LIMIT)
                .until(() -> cluster.client()
                        .apps()
                        .deployments()
                        .inAnyNamespace()
                        .withLabel("app.kubernetes.io/name", "kubewarden-controller")
                        .list()
                        .getItems()
                        .isEmpty());
    }

    /** The commands of docs/contributors/end-to-end-tests.md. */
    private void pushPolicies(String registry, Path directory) throws IOException {
        var sources = Files.writeString(directory.resolve("sources.yml"), "insecure_sources: [\"" + registry + "\"]\n");
        for (var policy : List.of("privileged-pods", "run-as-user", "go-namespace-labels")) {
            ShellCommand.of(
                            Checkout.current().program("kwctl").toString(),
                            "push",
                            "--sources-path",
                            sources.toString(),
                            root.resolve("policies")
                                    .resolve(policy)
                                    .resolve("policy.wasm")
                                    .toString(),
                            "registry://" + registry + "/policies/" + policy + ":e2e")
                    .run();
        }
    }

    /** Of Kubewarden's single chart, with an image that is not ours. */
    private static Path convertedValues(Path directory) throws IOException {
        var old = Files.writeString(directory.resolve("kubewarden.yaml"), """
                global: {skipNamespaces: [kube-system]}
                image: {tag: v1.37.2}
                additionalLabels: {team: platform}
                preDeleteJob: {image: {repository: rancher/kuberlr-kubectl}}
                auditScanner: {policyReporter: false, logLevel: warn, parallelNamespaces: 0}
                policyServer: {replicaCount: 1, imagePullSecret: null, insecureSources: null, sourceAuthorities: []}
                """);
        var converted = directory.resolve("converted");
        var outcome = ShellCommand.of(
                        Checkout.current().program("kwctl").toString(),
                        "migrate",
                        "values",
                        "--output-dir",
                        converted.toString(),
                        old.toString())
                .attempt();
        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(outcome.errors()).contains("Refused, and left out:", "image.tag");
        return converted;
    }

    /** Values that shorten what an operator wants long. */
    private static Path shortTimes(Path directory) throws IOException {
        return Files.writeString(
                directory.resolve("values.yaml"),
                "{webhookDrainSeconds: 5, replicaGraceSeconds: 20, certificateSettlingSeconds: 30}\n");
    }

    private ShellCommand.Outcome suite(String... flags) {
        var words = new ArrayList<>(List.of(root.resolve("portcullis").toString(), "e2e"));
        words.addAll(List.of(flags));
        return ShellCommand.of(words)
                .with("PORTCULLIS_BUILT", "yes")
                .with(
                        "PATH",
                        tool("kubectl")
                                + File.pathSeparator
                                + tool("helm")
                                + File.pathSeparator
                                + System.getenv("PATH"))
                .within(LIMIT)
                .attempt();
    }

    /** The directory of a pinned tool. */
    private static Path tool(String name) {
        return Tools.current().ensured(name).resolveSibling("");
    }
}
