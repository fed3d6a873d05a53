package io.portcullis.server;

import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.Program;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.settings.ServerFlags;
import io.portcullis.server.settings.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A real server on free ports, with the sample policies of this repository. */
final class RunningServer implements AutoCloseable {

    private static final Path POLICIES =
            Path.of("..", "policies").toAbsolutePath().normalize();

    final Path directory;
    final Metrics metrics = new Metrics();
    final PolicyServerProgram server;

    /** @param yaml a policies file; {@code $POLICIES} is replaced with the directory of the sample policies */
    RunningServer(Path directory, String yaml, String... arguments) throws IOException, InterruptedException {
        this(directory, Map.of(), yaml, arguments);
    }

    RunningServer(Path directory, Map<String, String> environment, String yaml, String... arguments)
            throws IOException, InterruptedException {
        this.directory = directory;
        write(yaml);
        server = PolicyServerProgram.start(settings(directory, arguments), environment, metrics, Tracing.OFF);
    }

    void write(String yaml) throws IOException {
        Files.writeString(
                directory.resolve("policies.yml"),
                yaml.replace("$POLICIES", POLICIES.toUri().toString()));
    }

    String metrics() {
        return PrometheusText.render(metrics);
    }

    RawHttp http() {
        return new RawHttp(server.apiPort());
    }

    RawHttp probes() {
        return new RawHttp(server.probePort());
    }

    static ServerSettings settings(Path directory, String... arguments) throws InterruptedException {
        var all = new ArrayList<>(List.of(
                "--addr=127.0.0.1",
                "--port=0",
                "--readiness-probe-port=0",
                "--policies=" + directory.resolve("policies.yml"),
                "--policies-download-dir=" + Path.of("target", "test-store").toAbsolutePath(),
                "--drain-lag=0s"));
        all.addAll(List.of(arguments));
        var settings = new AtomicReference<ServerSettings>();
        var code = new Program("policy-server", "", List.of(), ServerFlags.ALL, parsed -> {
                    settings.set(ServerSettings.from(parsed, Map.of(), false));
                    return ExitCode.OK;
                })
                .run(all.toArray(String[]::new), Map.of(), System.out, System.err);
        if (code != 0) {
            throw new IllegalArgumentException("bad arguments: " + all);
        }
        return settings.get();
    }

    @Override
    public void close() {
        server.close();
    }
}
