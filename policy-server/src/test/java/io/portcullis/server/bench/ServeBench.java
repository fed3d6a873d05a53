package io.portcullis.server.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Measures the server of {@code dist/} in a separate process: the start, the first requests, and then each kind of policy at
 * 1, 8 and 64 connections. Options:
 *
 * <ul>
 *   <li>{@code --tls}: HTTP/2 over TLS, as API servers send requests, instead of HTTP/1.1
 *   <li>{@code --json FILE}: writes the rows to a file for {@code ./portcullis bench compare}
 *   <li>{@code --peer URL [--peer-pid PID]}: also measures another server with the same policies, and prints ratios
 * </ul>
 */
public final class ServeBench {

    private static final Path POLICIES = Path.of("distribution", "launcher", "kinds.yml");
    private static final int COUNT = 20_000;
    private static final int FIRST = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final List<Integer> CONNECTIONS = List.of(1, 8, 64);

    private record Kind(String policy, String path, Path body) {

        static Kind of(String policy) {
            return new Kind(policy, "/validate/" + policy, Path.of("examples", "allowed-review.json"));
        }

        Load load(BenchTarget target) throws IOException {
            return new Load(target, path, Files.readAllBytes(body));
        }
    }

    private static final List<Kind> KINDS = List.of(
            Kind.of("rust"),
            Kind.of("mutating"),
            Kind.of("opa"),
            Kind.of("gatekeeper"),
            Kind.of("go"),
            Kind.of("group"),
            new Kind("raw", "/validate_raw/raw", Path.of("examples", "raw-review.json")));

    private ServeBench() {}

    public static void main(String[] arguments) throws Exception {
        var options = List.of(arguments);
        var peer = option(options, "--peer").map(URI::create);
        var peerPid = option(options, "--peer-pid").map(Long::parseLong);
        var protocol = options.contains("--tls") ? BenchServer.Protocol.HTTP_2_TLS : BenchServer.Protocol.HTTP_1;
        var work = Files.createTempDirectory("serve-bench");
        List<BenchRow> ours;
        try (var server = BenchServer.start(POLICIES, work, protocol)) {
            var first = firstRequests(server.target());
            warmUp(server.target());
            System.out.println(BenchRow.header());
            ours = measure("ours", server.target(), Optional.of(server.pid()), System.out);
            printStart(server, first, ours);
        }
        var file = option(options, "--json");
        if (file.isPresent()) {
            BenchRow.write(Path.of(file.get()), ours);
        }
        if (peer.isPresent()) {
            comparePeer(ours, peer.get(), peerPid);
        }
    }

    private static Optional<String> option(List<String> options, String name) {
        var at = options.indexOf(name);
        return at < 0 || at + 1 == options.size() ? Optional.empty() : Optional.of(options.get(at + 1));
    }

    /** Sends the first requests to each policy after the start, over one connection. */
    private static List<Load.Result> firstRequests(BenchTarget target) throws IOException, InterruptedException {
        var results = new ArrayList<Load.Result>();
        for (var kind : KINDS) {
            results.add(kind.load(target).run(1, FIRST, LIMIT));
        }
        return results;
    }

    private static void warmUp(BenchTarget target) throws IOException, InterruptedException {
        for (var kind : KINDS) {
            kind.load(target).run(8, 2 * COUNT, LIMIT);
        }
    }

    private static List<BenchRow> measure(String server, BenchTarget target, Optional<Long> pid, PrintStream out)
            throws IOException, InterruptedException {
        var rows = new ArrayList<BenchRow>();
        for (var kind : KINDS) {
            for (var connections : CONNECTIONS) {
                var before = cost(pid);
                var result = kind.load(target).run(connections, COUNT, LIMIT);
                var row = BenchRow.of(kind.policy(), connections, result, before, cost(pid));
                out.println(row.line(server));
                rows.add(row);
            }
        }
        return rows;
    }

    private static ProcessCost cost(Optional<Long> pid) throws IOException {
        return pid.isPresent() ? ProcessCost.of(pid.get()) : ProcessCost.UNKNOWN;
    }

    private static void printStart(BenchServer server, List<Load.Result> first, List<BenchRow> rows) {
        System.out.printf("%nready after %.2f s%n", server.start().toMillis() / 1e3);
        for (var i = 0; i < KINDS.size(); i++) {
            var median = first.get(i).percentileMillis(0.5);
            var steady = rows.get(i * CONNECTIONS.size()).p50Millis();
            System.out.printf(
                    "%-12s first %d requests: p50 %.3f ms, %.1f × steady state%n",
                    KINDS.get(i).policy(), FIRST, median, median / steady);
        }
    }

    private static void comparePeer(List<BenchRow> ours, URI peer, Optional<Long> pid)
            throws IOException, InterruptedException, GeneralSecurityException {
        if (pid.isEmpty()) {
            System.out.println("without --peer-pid PID the peer's CPU time and memory are not known: NaN");
        }
        var target = new BenchTarget(peer, SSLContext.getDefault());
        warmUp(target);
        var theirs = measure("peer", target, pid, System.out);
        for (var i = 0; i < ours.size(); i++) {
            System.out.println(ours.get(i).ratio(theirs.get(i)));
        }
    }
}
