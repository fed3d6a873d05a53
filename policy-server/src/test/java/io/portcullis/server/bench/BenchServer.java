package io.portcullis.server.bench;

import io.portcullis.testkit.program.FreePort;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A policy server in a separate process, pinned to one core if {@code taskset} is available. */
record BenchServer(Process process, URI uri) implements AutoCloseable {

    static BenchServer start(Path policies, Path work) throws IOException, InterruptedException {
        var port = FreePort.find();
        var probe = FreePort.find();
        var server = new BenchServer(process(policies, work, port, probe), URI.create("http://127.0.0.1:" + port));
        try {
            server.awaitReady(probe);
            return server;
        } catch (IOException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, 1, TimeUnit.MINUTES).join();
        process.destroyForcibly();
    }

    private static Process process(Path policies, Path work, int port, int probe) throws IOException {
        var command = new ArrayList<String>();
        if (Files.isExecutable(Path.of("/usr/bin/taskset"))
                && Runtime.getRuntime().availableProcessors() > 1) {
            command.addAll(List.of("/usr/bin/taskset", "-c", "0"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.portcullis.server.Main",
                "--addr=127.0.0.1",
                "--port=" + port,
                "--readiness-probe-port=" + probe,
                "--policies=" + policies,
                "--policies-download-dir=" + work,
                "--drain-lag=0s",
                "--log-level=warn"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.INHERIT)
                .start();
    }

    private void awaitReady(int probe) throws IOException, InterruptedException {
        var url = URI.create("http://127.0.0.1:" + probe + "/readiness").toURL();
        while (process.isAlive()) {
            try {
                if (((HttpURLConnection) url.openConnection()).getResponseCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // not listening yet
            }
            process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        throw new IOException("the server ended before it was ready");
    }
}
