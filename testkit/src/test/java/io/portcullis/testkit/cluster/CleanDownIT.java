package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code down} removes all traces of a cluster. The test starts its own cluster in its own run directory. It checks
 * only traces of that cluster, because other programs run on the machine at the same time.
 */
@Tag("level3")
@RealCluster(level = Level.NODES)
class CleanDownIT {

    private Path run;
    private LocalCluster second;

    @BeforeEach
    void createRunDirectory() throws IOException {
        run = Files.createTempDirectory(
                "portcullis-clean", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        second = new LocalCluster(Checkout.current(), run);
    }

    @AfterEach
    void removeRunDirectory() {
        second.down();
        ShellCommand.of("rm", "-r", run.toString()).run();
    }

    @Test
    void downLeavesNothingBehind() {
        second.up(Level.NODES, 1);
        var network = second.hostAddress().replaceAll("\\.1$", ".");
        var namespaces = namespacesOfNode(1);
        assertThat(processesIn(namespaces)).hasSizeGreaterThan(5);
        assertThat(ShellCommand.of("ip", "route").run()).contains(network);
        // Other clusters may start and stop at the same time, so only the cgroups of this cluster's slot are checked.
        var slot = Integer.parseInt(network.replaceAll("^\\d+\\.\\d+\\.(\\d+)\\.$", "$1")) / 16;
        assertThat(cgroups(slot)).isNotEmpty();

        second.down();

        assertThat(processesIn(namespaces)).isEmpty();
        assertThat(ShellCommand.of("ip", "route").run()).doesNotContain(network);
        assertThat(ShellCommand.of("ip", "-brief", "address").run()).doesNotContain(network);
        assertThat(ShellCommand.of("cat", "/proc/self/mounts").run()).doesNotContain(run.toString());
        assertThat(cgroups(slot)).isEmpty();
        assertThat(run)
                .isDirectoryNotContaining(path -> path.getFileName().toString().startsWith("node"));
    }

    @Test
    void repeatsAnInterruptedUp() {
        var script = Checkout.current().clusterScript().toString();
        var interrupted = ShellCommand.of("timeout", "--signal=KILL", "2", script, "up", "--level", "1")
                .with("PORTCULLIS_RUN", run.toString())
                .attempt();
        assertThat(interrupted.succeeded()).isFalse();

        second.up(Level.API, 1);

        assertThat(second.has(Level.API, 1)).isTrue();
    }

    private Set<String> namespacesOfNode(int node) {
        var pid = ShellCommand.of(
                        "cat", run.resolve("node" + node).resolve("pid").toString())
                .run();
        return Stream.of("net", "pid", "mnt")
                .map(kind -> namespace(Path.of("/proc", pid, "ns", kind)))
                .collect(Collectors.toSet());
    }

    private static List<Path> processesIn(Set<String> namespaces) {
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            return Stream.iterate(processes.iterator(), i -> i.hasNext(), i -> i)
                    .map(i -> i.next())
                    .filter(process -> Stream.of("net", "pid", "mnt")
                            .map(kind -> namespace(process.resolve("ns").resolve(kind)))
                            .anyMatch(namespaces::contains))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError("cannot list processes", e);
        }
    }

    /** Returns an empty text for a process that has just ended. */
    private static String namespace(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> cgroups(int slot) {
        return ShellCommand.of("find", "/sys/fs/cgroup", "-maxdepth", "2", "-name", "portcullis-" + slot + "-*")
                .run()
                .lines()
                .toList();
    }
}
