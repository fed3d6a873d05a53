package io.portcullis.server.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures the resident memory of real servers: one policy, the same module under ten names, and thirty different modules.
 * Measures each server when it is ready, after every policy got requests, and after a restart with its cache of compiled
 * modules.
 */
public final class MemoryBench {

    private static final int REQUESTS_PER_POLICY = 300;
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final List<String> SMALL =
            List.of("privileged-pods", "run-as-user", "gatekeeper-privileged-containers");

    private MemoryBench() {}

    public static void main(String[] arguments) throws Exception {
        var work = Files.createTempDirectory("memory-bench");
        var one = distinct(work, 1);
        System.out.printf("%-34s %14s %14s %14s%n", "RSS in MiB", "ready", "after load", "warm start");
        measure("one policy", List.of(one.getFirst()), work);
        measure(
                "the same module under 11 names",
                IntStream.range(0, 11).mapToObj(_ -> one.getFirst()).toList(),
                work);
        measure("30 distinct modules", distinct(work, 30), work);
    }

    private static void measure(String name, List<Path> modules, Path work) throws IOException, InterruptedException {
        var file = Files.writeString(
                Files.createTempFile(work, "policies", ".yml"),
                IntStream.range(0, modules.size())
                        .mapToObj(i ->
                                "policy-" + i + ":\n  allowedToMutate: true\n  module: file://" + modules.get(i) + "\n")
                        .collect(Collectors.joining()));
        var cache = Files.createTempDirectory(work, "cache");
        long ready;
        long loaded;
        try (var server = BenchServer.start(file, cache, BenchServer.Protocol.HTTP_1)) {
            ready = resident(server);
            sendRequests(server, modules.size());
            loaded = resident(server);
        }
        try (var server = BenchServer.start(file, cache, BenchServer.Protocol.HTTP_1)) {
            System.out.printf("%-34s %14d %14d %14d%n", name, ready, loaded, resident(server));
        }
    }

    private static void sendRequests(BenchServer server, int policies) throws IOException, InterruptedException {
        var review = Files.readAllBytes(Path.of("examples", "allowed-review.json"));
        for (int i = 0; i < policies; i++) {
            new Load(server.target(), "/validate/policy-" + i, review).run(8, REQUESTS_PER_POLICY, LIMIT);
        }
    }

    private static long resident(BenchServer server) throws IOException {
        return ProcessCost.of(server.pid()).residentKib() / 1024;
    }

    /** Returns our small policies in turn. An extra custom section makes each one a different module. */
    private static List<Path> distinct(Path work, int count) throws IOException {
        var modules = new ArrayList<Path>();
        for (int i = 0; i < count; i++) {
            var wasm = Files.readAllBytes(Path.of("policies", SMALL.get(i % SMALL.size()), "policy.wasm"));
            modules.add(Files.write(work.resolve("module-" + i + ".wasm"), withSection("number-" + (100 + i), wasm)));
        }
        return List.copyOf(modules);
    }

    private static byte[] withSection(String name, byte[] wasm) {
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        var out = new ByteArrayOutputStream();
        out.writeBytes(wasm);
        out.write(0);
        out.write(1 + bytes.length);
        out.write(bytes.length);
        out.writeBytes(bytes);
        return out.toByteArray();
    }
}
