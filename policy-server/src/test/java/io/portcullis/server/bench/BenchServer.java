package io.portcullis.server.bench;

import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.program.FreePort;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * The policy server of {@code dist/}, as users start it, in a separate process. Pinned to one core if {@code taskset} is
 * available.
 *
 * @param start the time until the server was ready
 */
record BenchServer(Process process, BenchTarget target, Duration start) implements AutoCloseable {

    enum Protocol {
        /** HTTP/1.1 without TLS. */
        HTTP_1,
        /** HTTP/2 over TLS, as API servers use it. */
        HTTP_2_TLS
    }

    static BenchServer start(Path policies, Path work, Protocol protocol) throws IOException, InterruptedException {
        var port = FreePort.find();
        var probe = FreePort.find();
        var arguments = new ArrayList<>(List.of(
                "--addr=127.0.0.1",
                "--port=" + port,
                "--readiness-probe-port=" + probe,
                "--policies=" + policies,
                "--policies-download-dir=" + work,
                "--drain-lag=0s",
                "--log-level=warn"));
        var target = switch (protocol) {
            case HTTP_1 -> new BenchTarget(URI.create("http://127.0.0.1:" + port), defaultTls());
            case HTTP_2_TLS -> {
                var certificate = ServingCertificate.forNames("127.0.0.1");
                arguments.add(
                        "--cert-file=" + Files.writeString(work.resolve("tls.crt"), certificate.certificatePem()));
                arguments.add("--key-file=" + Files.writeString(work.resolve("tls.key"), certificate.privateKeyPem()));
                yield new BenchTarget(URI.create("https://127.0.0.1:" + port), certificate.sslContext());
            }
        };
        var began = System.nanoTime();
        var process = process(arguments);
        try {
            awaitReady(process, probe);
            return new BenchServer(process, target, Duration.ofNanos(System.nanoTime() - began));
        } catch (IOException | InterruptedException e) {
            stop(process);
            throw e;
        }
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        stop(process);
    }

    private static void stop(Process process) {
        process.destroy();
        process.onExit().completeOnTimeout(process, 1, TimeUnit.MINUTES).join();
        process.destroyForcibly();
    }

    private static SSLContext defaultTls() throws IOException {
        try {
            return SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new IOException("the JDK has no TLS", e);
        }
    }

    private static Process process(List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        if (Files.isExecutable(Path.of("/usr/bin/taskset"))
                && Runtime.getRuntime().availableProcessors() > 1) {
            command.addAll(List.of("/usr/bin/taskset", "-c", "0"));
        }
        command.add(Path.of(System.getProperty("portcullis.home"), "bin", "policy-server")
                .toString());
        command.add("--standalone");
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.INHERIT)
                .start();
    }

    private static void awaitReady(Process process, int probe) throws IOException, InterruptedException {
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
