package io.portcullis.hostile;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.fault.MemoryCgroup;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A policy server as users run it, with 512 MiB of memory and 1,024 open files. It serves one policy of a peaceful tenant,
 * {@value #NEIGHBOUR}, two of an attacker, and whatever a test adds.
 */
final class LimitedServer implements AutoCloseable {

    static final String NEIGHBOUR = "neighbour";
    static final String SLOW = "slow";

    /** A policy of the attacker, with the module of {@link #NEIGHBOUR}. */
    static final String HOSTILE = "hostile-tenant";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MEMORY = 512L << 20;
    private static final int OPEN_FILES = 1024;
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final Path directory;
    private final MemoryCgroup cgroup;
    private final RunningProgram program;
    private final Ports ports;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .localAddress(Ports.NEIGHBOUR)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final Map<String, String> entries = new TreeMap<>();

    private LimitedServer(Path directory, MemoryCgroup cgroup, RunningProgram program, Ports ports) {
        this.directory = directory;
        this.cgroup = cgroup;
        this.program = program;
        this.ports = ports;
    }

    /** Starts the server and waits until it is ready. */
    static LimitedServer start(Path directory, String... flags) throws IOException {
        var ports = new Ports(FreePort.find(), FreePort.find());
        var cgroup = MemoryCgroup.create("hostile-" + ports.api(), MEMORY);
        var policies = Checkout.current().root().resolve("policies");
        var entries = new TreeMap<String, String>();
        for (var tenant : List.of(NEIGHBOUR, HOSTILE)) {
            entries.put(
                    tenant,
                    "{module: \""
                            + policies.resolve("privileged-pods/policy.wasm").toUri() + "\"}");
        }
        entries.put(
                SLOW,
                "{module: \"" + policies.resolve("sleeping/policy.wasm").toUri()
                        + "\", settings: {sleepMilliseconds: 1000}}");
        write(directory, entries);
        // The clients that measure go first when the CPUs are busy; otherwise they would measure their own wait for a
        // CPU.
        var words = new java.util.ArrayList<>(List.of(
                "nice",
                "-n5",
                Checkout.current().program("policy-server").toString(),
                "--standalone",
                "--addr=127.0.0.1",
                "--port=" + ports.api(),
                "--readiness-probe-port=" + ports.probe(),
                "--policies=" + directory.resolve("policies.yml"),
                "--policies-download-dir=" + directory.resolve("store"),
                "--drain-lag=0s"));
        words.addAll(List.of(flags));
        var program =
                RunningProgram.start(directory.resolve("server.log"), cgroup.command(OPEN_FILES, words), Map.of());
        var server = new LimitedServer(directory, cgroup, program, ports);
        server.entries.putAll(entries);
        try {
            program.awaitAnswer(server.http, server.probe("/readiness"), 200, START_LIMIT);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static void write(Path directory, Map<String, String> entries) throws IOException {
        var text = new StringBuilder();
        entries.forEach(
                (name, entry) -> text.append(name).append(": ").append(entry).append('\n'));
        var temporary = Files.writeString(directory.resolve("policies.yml.new"), text);
        Files.move(
                temporary,
                directory.resolve("policies.yml"),
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    long pid() {
        return program.pid();
    }

    Ports ports() {
        return ports;
    }

    boolean isAlive() {
        return program.isAlive();
    }

    String output() {
        return program.output();
    }

    long peakBytes() {
        return cgroup.peakBytes();
    }

    private URI probe(String path) {
        return URI.create("http://127.0.0.1:" + ports.probe() + path);
    }

    /** Adds or replaces a policy with the given module bytes; does not wait. */
    void publish(String name, byte[] module, String settings) throws IOException {
        var file = Files.write(Files.createTempFile(directory, name, ".wasm"), module);
        entries.put(name, "{module: \"" + file.toUri() + "\"" + settings + "}");
        write(directory, entries);
    }

    /** Adds or replaces an entry as text; does not wait. */
    void publishEntry(String name, String entry) throws IOException {
        entries.put(name, entry);
        write(directory, entries);
    }

    /** Removes a policy; does not wait. */
    void withdraw(String name) throws IOException {
        entries.remove(name);
        write(directory, entries);
    }

    /** @param error why the newest definition is not served; empty when it is */
    record State(String phase, String error) {}

    /** Waits until the server has loaded or refused the newest definition of a policy. */
    State awaitSettled(String name, Duration limit) throws IOException, InterruptedException {
        var deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < deadline) {
            for (var entry : JSON.readTree(get("/policies").body())) {
                if (entry.path("id").asText().equals(name)
                        && !entry.path("state").asText().equals("loading")) {
                    return new State(
                            entry.path("state").asText(),
                            entry.path("lastError").asText(""));
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IOException(name + " was neither loaded nor refused within " + limit);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.api() + path))
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                BodyHandlers.ofString());
    }

    /** Returns the status code of the readiness probe. */
    int readiness() throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(probe("/readiness"))
                                .timeout(Duration.ofSeconds(10))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    /** Asks a policy about a review. */
    HttpResponse<String> judge(String policy, String review) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.api() + "/validate/" + policy))
                        .header("Content-Type", "application/json")
                        .timeout(Duration.ofSeconds(20))
                        .POST(BodyPublishers.ofString(review))
                        .build(),
                BodyHandlers.ofString());
    }

    @Override
    public void close() {
        http.close();
        program.close();
        try {
            // Children of the server end with it; the group can be removed when the last one is gone.
            for (int i = 0; i < 100 && !cgroup.processes().isEmpty(); i++) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cgroup.close();
    }
}
