package io.portcullis.controller;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.controller.cleanup.Cleanup;
import io.portcullis.controller.cluster.LeanObjects;
import io.portcullis.controller.settings.ControllerFlags;
import io.portcullis.controller.settings.ControllerSettings;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.Program;
import io.portcullis.process.cli.Reference;
import io.portcullis.process.cli.Version;
import io.portcullis.process.kubernetes.BlockingHttpFactory;
import io.portcullis.process.logging.LogFormat;
import io.portcullis.process.logging.LogSettings;
import io.portcullis.process.logging.Logging;
import io.portcullis.process.logging.TerminalDetection;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.signals.Signals;
import io.portcullis.process.telemetry.Telemetry;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Starts the controller. {@link Controller} wires its parts. */
public final class Main {

    private static final String DESCRIPTION =
            "Turns policies into webhooks on a cluster, and runs the policy servers behind them.";
    private static final Flag<Path> OUTPUT = Flag.path("--output", "", "The file to write.");

    /** How long the API server may still call a replica that is no longer ready. */
    private static final Drain DRAIN = new Drain(Duration.ofSeconds(2), Duration.ofSeconds(10));

    private static final String LEASE_LOST =
            "the lease of the leader could not be renewed in time; another controller may act now";

    private final Map<String, String> environment;

    private Main(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(arguments, System.getenv(), System.out, System.err));
    }

    static int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err)
            throws InterruptedException {
        var main = new Main(environment);
        return new Program(
                        "controller",
                        DESCRIPTION,
                        Version.lines("controller", Main.class),
                        ControllerFlags.ALL,
                        main::control)
                .withCommand("docs", "Writes the command line reference.", List.of(OUTPUT), Main::writeDocs)
                .withCommand(
                        "cleanup",
                        "Removes all webhooks and policy servers; policies stay. The first step of uninstalling.",
                        List.of(ControllerFlags.NAMESPACE),
                        Main::cleanUp)
                .run(arguments, environment, out, err);
    }

    private static ExitCode cleanUp(Arguments parsed) {
        Logging.configure(new LogSettings(Level.INFO, LogFormat.TEXT, TerminalDetection.isOutput(), System.out));
        try (var client = new KubernetesClientBuilder()
                .withHttpClientFactory(new BlockingHttpFactory())
                .build()) {
            Cleanup.run(client, parsed.get(ControllerFlags.NAMESPACE));
            return ExitCode.OK;
        } catch (KubernetesClientException e) {
            throw new FailureException("cannot clean up: " + rootMessage(e), e);
        }
    }

    private ExitCode control(Arguments parsed) throws InterruptedException {
        var settings = ControllerSettings.from(parsed, environment, TerminalDetection.isOutput());
        var observed = settings.observability();
        Logging.configure(new LogSettings(observed.logLevel(), observed.logFormat(), observed.colours(), System.out));
        var log = LoggerFactory.getLogger(Main.class);
        var metrics = new Metrics();
        var telemetry = new Telemetry("kubewarden-controller", "kubewarden", environment);
        var identity = environment.getOrDefault("HOSTNAME", "controller") + "_" + UUID.randomUUID();
        var end = new CompletableFuture<Optional<String>>();
        try (var signals = Signals.install();
                var _ = settings.workloads().telemetry().metrics()
                        ? telemetry.pushMetrics(metrics)
                        : Telemetry.NOTHING;
                var client = new KubernetesClientBuilder()
                        .withKubernetesSerialization(LeanObjects.serialization())
                        .withHttpClientFactory(new BlockingHttpFactory())
                        .build();
                var controller = Controller.start(
                        settings, client, metrics, identity, () -> end.complete(Optional.of(LEASE_LOST)))) {
            signals.endWithin(DRAIN.total());
            log.atInfo()
                    .addKeyValue("namespace", settings.namespace())
                    .addKeyValue("webhook_port", controller.webhookPort())
                    .log("controller started");
            completeOnSignal(signals, end);
            var failure = end.join();
            if (failure.isPresent()) {
                throw new FailureException(failure.get(), null);
            }
            DRAIN.run(controller);
            return ExitCode.OK;
        } catch (CompletionException | KubernetesClientException e) {
            throw new FailureException("cannot reach the cluster: " + rootMessage(e), e);
        } catch (IOException | UncheckedIOException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Completes on a signal, which is a normal end. */
    private static void completeOnSignal(Signals signals, CompletableFuture<Optional<String>> end) {
        Thread.ofVirtual().name("await-signal").start(() -> {
            try {
                signals.await();
                end.complete(Optional.empty());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** The message of the deepest cause that has one. */
    private static String rootMessage(Throwable error) {
        var message = "";
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            message = cause.getMessage() == null ? message : cause.getMessage();
        }
        return message;
    }

    private static ExitCode writeDocs(Arguments parsed) {
        var file = parsed.get(OUTPUT);
        try {
            Files.writeString(file, Reference.markdown("controller", DESCRIPTION, ControllerFlags.ALL));
            return ExitCode.OK;
        } catch (IOException e) {
            throw new FailureException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
