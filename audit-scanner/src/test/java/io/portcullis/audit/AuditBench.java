package io.portcullis.audit;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures the duration and cost of an audit: {@code ./portcullis bench audit [--objects N] [--policies N]}. Uses
 * objects of four types on a real API server, a real policy server, and the scanner as a process. Runs twice: without
 * existing reports, and again without any change.
 */
public final class AuditBench {

    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final Duration BAR = Duration.ofMinutes(5);
    private static final int BAR_MIB = 250;
    private static final int PAGE = 100;

    private final TestCluster cluster;
    private final KubernetesClient client;
    private final Path work;
    private final PrintStream out;

    private AuditBench(TestCluster cluster, Path work, PrintStream out) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.work = work;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        int objects = option(arguments, "--objects", 10_000);
        int policies = option(arguments, "--policies", 20);
        var work = Files.createTempDirectory("audit-bench");
        var local = new LocalCluster(Checkout.current(), work.resolve("cluster"));
        local.prepare(Level.API);
        local.up(Level.API, 1);
        try (var cluster = TestCluster.open(local, Level.API, "bench")) {
            new AuditBench(cluster, work, System.out).measure(objects, policies);
        } finally {
            local.down();
        }
    }

    private static int option(String[] arguments, String name, int otherwise) {
        int at = List.of(arguments).indexOf(name);
        return at < 0 ? otherwise : Integer.parseInt(arguments[at + 1]);
    }

    private void measure(int objects, int policies) throws Exception {
        cluster.installCrds();
        AuditFixture.install(cluster, "reports/openreports.io.yaml");
        var setup = new BenchSetup(client, work);
        setup.createObjects(objects);
        try (var server = setup.startPolicies(policies)) {
            out.printf("%d objects, %d policies%n", objects, policies);
            run("first run", server, objects);
            run("nothing changed", server, objects);
        }
    }

    private void run(String title, RunningProgram server, int objects) throws Exception {
        var lists = ListCalls.now(client);
        var serverCpu = cpu(server);
        var start = System.nanoTime();
        var resident = new ArrayList<Long>();
        Duration scannerCpu = Duration.ZERO;
        try (var scanner = RunningProgram.start(
                work.resolve("scanner.log"),
                List.of(
                        Checkout.current().program("audit-scanner").toString(),
                        "--report-kind=openreports",
                        "--page-size=" + PAGE),
                Map.of("KUBECONFIG", cluster.local().kubeconfig().toString()))) {
            while (scanner.isAlive()) {
                TimeUnit.MILLISECONDS.sleep(500);
                resident(scanner.pid()).ifPresent(resident::add);
                scannerCpu = scanner.isAlive() ? cpu(scanner) : scannerCpu;
                if (System.nanoTime() - start > LIMIT.toNanos()) {
                    throw new IllegalStateException("no end after " + LIMIT);
                }
            }
            var took = Duration.ofNanos(System.nanoTime() - start);
            print(title, took, resident);
            out.printf(
                    "  CPU: scanner %.1f s, policy server %.1f s%n",
                    seconds(scannerCpu), seconds(cpu(server).minus(serverCpu)));
            printLists(ListCalls.now(client), lists, objects);
            out.println("  " + scanner.output().lines().toList().getLast());
        }
    }

    private void print(String title, Duration took, List<Long> resident) {
        out.printf("%s: %.1f s (bar %d)%n", title, seconds(took), BAR.toSeconds());
        var quarters = IntStream.rangeClosed(1, 4)
                .mapToObj(i -> resident.get(resident.size() * i / 4 - 1).toString())
                .collect(Collectors.joining(", "));
        out.printf(
                "  RSS: peak %d MiB (bar %d), after each quarter %s MiB%n",
                resident.stream().mapToLong(Long::longValue).max().orElse(0), BAR_MIB, quarters);
    }

    /**
     * Prints the list calls per type. Objects are spread evenly over the types. Objects that the API server or
     * namespaces create themselves do not add a page.
     */
    private void printLists(ListCalls now, ListCalls before, int objects) {
        int each = objects / BenchType.values().length;
        for (var type : BenchType.values()) {
            out.printf(
                    "  LIST %s: %d calls (bar %d)%n",
                    type.plural(), now.of(type.plural()) - before.of(type.plural()), 1 + (each + PAGE - 1) / PAGE);
        }
    }

    private static Duration cpu(RunningProgram program) {
        return ProcessHandle.of(program.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    /** Returns the resident memory in MiB; empty if the process has ended. */
    private static Optional<Long> resident(long pid) {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
