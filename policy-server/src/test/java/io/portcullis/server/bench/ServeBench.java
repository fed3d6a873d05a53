package io.portcullis.server.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures a real server in a separate process, pinned to one core if {@code taskset} is available. Prints requests per
 * second, latency and CPU time per request for each policy at 1, 8 and 64 connections. {@code --peer URL [--peer-pid PID]}
 * also measures another server with the same policies and prints ratios.
 */
public final class ServeBench {

    private static final int COUNT = 20_000;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final List<Integer> CONNECTIONS = List.of(1, 8, 64);

    private record Target(String name, String path, Path body) {}

    private static final List<Target> TARGETS = List.of(
            new Target("privileged-pods", "/validate/privileged-pods", Path.of("examples/allowed-review.json")),
            new Target("run-as-user", "/validate/run-as-user", Path.of("examples/allowed-review.json")),
            new Target("raw-validation", "/validate_raw/raw-validation", Path.of("examples/raw-review.json")));

    private ServeBench() {}

    public static void main(String[] arguments) throws Exception {
        var peer = option(arguments, "--peer").map(URI::create);
        var peerPid = option(arguments, "--peer-pid").map(Long::parseLong);
        var work = Files.createTempDirectory("serve-bench");
        try (var server = BenchServer.start(Path.of("examples", "policies.yml"), work)) {
            warmUp(server.uri());
            print(System.out, measure(server.uri(), Optional.of(server.pid())), peer, peerPid);
        }
    }

    private static Optional<String> option(String[] arguments, String name) {
        for (var i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Optional.of(arguments[i + 1]);
            }
        }
        return Optional.empty();
    }

    private static Load load(URI server, Target target) throws IOException {
        return new Load(server, target.path(), Files.readAllBytes(target.body()));
    }

    private static void warmUp(URI server) throws IOException, InterruptedException {
        for (var target : TARGETS) {
            load(server, target).run(8, 2 * COUNT, LIMIT.multipliedBy(2));
        }
    }

    private record Row(String policy, int connections, Load.Result result, double cpuMicros, long residentKib) {}

    private static List<Row> measure(URI server, Optional<Long> pid) throws IOException, InterruptedException {
        var rows = new ArrayList<Row>();
        for (var target : TARGETS) {
            for (var connections : CONNECTIONS) {
                var before = cost(pid);
                var result = load(server, target).run(connections, COUNT, LIMIT);
                var after = cost(pid);
                var micros = (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / result.latencies().length;
                rows.add(new Row(target.name(), connections, result, micros, after.residentKib()));
            }
        }
        return rows;
    }

    private static ProcessCost cost(Optional<Long> pid) throws IOException {
        return pid.isPresent() ? ProcessCost.of(pid.get()) : new ProcessCost(Double.NaN, 0);
    }

    private static void print(PrintStream out, List<Row> ours, Optional<URI> peer, Optional<Long> peerPid)
            throws IOException, InterruptedException {
        header(out);
        ours.forEach(row -> line(out, "ours", row));
        if (peer.isEmpty()) {
            return;
        }
        if (peerPid.isEmpty()) {
            out.println("without --peer-pid PID the peer's CPU time and memory are not known: NaN");
        }
        warmUp(peer.get());
        var theirs = measure(peer.get(), peerPid);
        for (var i = 0; i < ours.size(); i++) {
            line(out, "peer", theirs.get(i));
            out.printf(
                    "%-6s %-18s %5d %12.2f× requests/s %10.2f× CPU%n",
                    "ratio",
                    ours.get(i).policy(),
                    ours.get(i).connections(),
                    ours.get(i).result().requestsPerSecond()
                            / theirs.get(i).result().requestsPerSecond(),
                    ours.get(i).cpuMicros() / theirs.get(i).cpuMicros());
        }
    }

    private static void header(PrintStream out) {
        out.printf(
                "%-6s %-18s %5s %12s %10s %10s %14s %9s%n",
                "server", "policy", "conns", "requests/s", "p50 ms", "p99 ms", "CPU µs/request", "RSS MiB");
    }

    private static void line(PrintStream out, String server, Row row) {
        out.printf(
                "%-6s %-18s %5d %12.0f %10.3f %10.3f %14.0f %9d%n",
                server,
                row.policy(),
                row.connections(),
                row.result().requestsPerSecond(),
                row.result().percentileMillis(0.5),
                row.result().percentileMillis(0.99),
                row.cpuMicros(),
                row.residentKib() / 1024);
    }
}
