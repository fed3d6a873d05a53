package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.portcullis.docs.ShellBlock.Place;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.requirement.Requirement;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The real demo, and on the cluster that it leaves, every command that the pages for operators and users tell to type. */
@Tag("level3")
@NeedsTools({"helm", "registry"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // set before all tests
class DemoIT {

    /** In the order in which their commands are typed: from an installation to none. */
    static final List<String> PAGES = List.of(
            "docs/operators/install.md",
            "docs/policy-users/roll-out.md",
            "docs/policy-users/status.md",
            "docs/policy-users/policy-lifecycle.md",
            "docs/policy-users/test.md",
            "docs/operators/policy-servers.md",
            "docs/operators/high-availability.md",
            "docs/operators/alerts.md",
            "docs/operators/audit.md",
            "docs/operators/upgrades.md",
            "docs/operators/emergency.md",
            "docs/operators/uninstall.md");

    private static final Duration LIMIT = Duration.ofMinutes(12);
    private static final List<String> SHOWN = List.of(
            "✓ the node is ready and has our images",
            "✓ three policies are pushed",
            "✓ controller and two replicas of the policy server are ready",
            "✓ Pending, then Active: every replica has proved that it serves generation 1",
            "✓ the privileged pod is refused, the ordinary one is created",
            " requests sent, 0 failed; no pod restarted",
            "✓ phase Failed with the cause; generation 2 still refuses",
            "✓ Active again; the Events list every step",
            "✓ refused without an owner, admitted with one",
            "✓ the privileged pod of step 4 is found, the ordinary one passes");

    private Path run;
    private LocalCluster cluster;

    @BeforeAll
    void chooseARunDirectory() throws IOException {
        assumeThat(Checkout.current().program("controller"))
                .as("run ./portcullis build first")
                .exists();
        // Not below a directory of JUnit's: users of other numbers must be able to enter.
        run = Files.createTempDirectory(
                "demo", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        cluster = new LocalCluster(Checkout.current(), run);
        assumeThat(Requirement.fromEnvironment()
                        .check(() -> cluster.prepare(Level.NODES))
                        .isDisabled())
                .isFalse();
    }

    @AfterAll
    void takeDown() {
        assertThat(demo("--down").exitCode()).isZero();
        assertThat(cluster.has(Level.API, 1)).isFalse();
        ShellCommand.of("rm", "-rf", run.toString()).run();
    }

    @Test
    @Order(1)
    void anInterruptedDemoLeavesNothingBehind() throws Exception {
        var builder = new ProcessBuilder(entryPoint(), "demo")
                .redirectErrorStream(true)
                .redirectOutput(run.resolve("interrupted.log").toFile());
        builder.environment().putAll(Map.of("PORTCULLIS_RUN", run.toString(), "PORTCULLIS_BUILT", "yes"));
        var process = builder.start();
        Awaitility.await().atMost(LIMIT).until(() -> Files.exists(run.resolve("node1/pid")) || !process.isAlive());

        // SIGTERM: Ctrl-C goes the same way, but a process that was started in the background may not listen to it.
        process.destroy();

        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(143);
        assertThat(run.resolve("node1")).doesNotExist();
        assertThat(run.resolve("demo")).doesNotExist();
        assertThat(cluster.has(Level.API, 1)).isFalse();
    }

    @Test
    @Order(2)
    void theDemoShowsWhatItTells() {
        assertThat(ShellBlock.of(Page.read(Path.of("README.md"))).stream()
                        .filter(block -> block.runsAt(Place.DEMO))
                        .flatMap(block -> block.lines().stream()))
                .containsExactly("./portcullis demo");

        var outcome = demo("--keep");

        assertThat(outcome.output()).contains(SHOWN);
        assertThat(outcome.output()).doesNotContain("\u001b[");
        assertThat(outcome.exitCode()).isZero();
        assertThat(demo().errors()).contains("take it down with: ./portcullis demo --down");
    }

    @Test
    @Order(3)
    void commandsOfThePagesWork() {
        if (!cluster.has(Level.API, 1)) { // the demo failed, or this test is repeated alone
            assertThat(demo("--keep").exitCode()).isZero();
        }
        type(
                "a cluster without policies",
                "kubectl delete clusteradmissionpolicies,clusteradmissionpolicygroups --all");
        for (String page : PAGES) {
            for (var block : ShellBlock.of(Page.read(Path.of(page)))) {
                if (block.runsAt(Place.CLUSTER)) {
                    type(block.at(), block.script());
                }
            }
        }
    }

    private void type(String what, String script) {
        var path = "%s:%s:%s"
                .formatted(run.resolve("bin"), Checkout.current().root().resolve("dist/bin"), System.getenv("PATH"));
        var outcome = ShellCommand.of(
                        "bash", "-e", "-o", "pipefail", "-c", "cd '" + run.resolve("demo") + "'\n" + script)
                .with("KUBECONFIG", cluster.kubeconfig().toString())
                .with("PATH", path)
                .within(LIMIT)
                .attempt();
        assertThat(outcome.exitCode())
                .as("%s: %s%n%s", what, outcome.output(), outcome.errors())
                .isZero();
    }

    private ShellCommand.Outcome demo(String... flags) {
        var words = new ArrayList<>(List.of(entryPoint(), "demo"));
        words.addAll(List.of(flags));
        return ShellCommand.of(words)
                .with("PORTCULLIS_RUN", run.toString())
                .with("PORTCULLIS_BUILT", "yes")
                .within(LIMIT)
                .attempt();
    }

    private static String entryPoint() {
        return Checkout.current().root().resolve("portcullis").toString();
    }
}
