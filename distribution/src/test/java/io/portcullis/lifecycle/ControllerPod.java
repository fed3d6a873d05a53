package io.portcullis.lifecycle;

import io.portcullis.testkit.fault.Cable;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One controller as a pod of its Deployment: a process with ports, and a line to the API server, of its own. */
final class ControllerPod implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);

    private final String name;
    private final Path directory;
    private final List<String> words;
    private final Map<String, String> environment;
    private final Cable line;
    private final int webhookPort = FreePort.find();
    private final URI readiness = URI.create("http://127.0.0.1:" + FreePort.find() + "/readyz");
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PROBE_LIMIT).build();
    private volatile @Nullable RunningProgram program;
    private int starts;

    /**
     * Not started yet.
     *
     * @param name by which the lease tells it from others
     * @param directory for what it prints
     * @param command the program and its arguments, without ports
     * @param kubeconfig that leads through the line
     */
    ControllerPod(String name, Path directory, List<String> command, Path kubeconfig, Cable line) {
        this.name = name;
        this.directory = directory;
        this.line = line;
        words = new ArrayList<>(command);
        words.addAll(List.of(
                "--webhook-server-port",
                Integer.toString(webhookPort),
                "--health-probe-bind-address",
                ":" + readiness.getPort(),
                "--metrics-bind-address",
                ":" + FreePort.find()));
        environment = new HashMap<>(Map.of("KUBECONFIG", kubeconfig.toString(), "HOSTNAME", name));
    }

    String name() {
        return name;
    }

    int webhookPort() {
        return webhookPort;
    }

    /** Its line to the API server. Webhook calls and probes reach it by another way. */
    Cable line() {
        return line;
    }

    /** The process as it was last started. */
    RunningProgram program() {
        return Objects.requireNonNull(program, () -> name + " has not been started yet");
    }

    boolean isAlive() {
        var running = program;
        return running != null && running.isAlive();
    }

    /** Does not wait for anything. */
    void start() {
        program = RunningProgram.start(directory.resolve(name + "-" + ++starts + ".log"), words, environment);
    }

    ControllerPod awaitReady() {
        program().awaitAnswer(http, readiness, 200, START_LIMIT);
        return this;
    }

    /** As its readiness probe says now. */
    boolean isReady() {
        try {
            var probe = HttpRequest.newBuilder(readiness).timeout(PROBE_LIMIT).build();
            return isAlive() && http.send(probe, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        var running = program;
        if (running != null) {
            running.close();
        }
        http.close();
        line.close();
    }
}
