package io.portcullis.server;

import io.portcullis.api.policies.PoliciesFileException;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.Program;
import io.portcullis.process.cli.ProgramVersion;
import io.portcullis.process.cli.Reference;
import io.portcullis.process.logging.LogSettings;
import io.portcullis.process.logging.Logging;
import io.portcullis.process.logging.TerminalDetection;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.signals.Signals;
import io.portcullis.process.telemetry.Telemetry;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.TlsException;
import io.portcullis.server.daemon.Daemon;
import io.portcullis.server.memory.MemorySplit;
import io.portcullis.server.preparation.PreparationCommands;
import io.portcullis.server.settings.ServerFlags;
import io.portcullis.server.settings.ServerSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Starts the policy server. {@link PolicyServerProgram} wires its parts. */
public final class Main {

    private static final String DESCRIPTION = "Judges Kubernetes admission requests with WebAssembly policies.";
    private static final Flag<Path> OUTPUT = Flag.path("--output", "", "The file to write.");

    private final String[] arguments;
    private final Map<String, String> environment;

    private Main(String[] arguments, Map<String, String> environment) {
        this.arguments = arguments.clone();
        this.environment = environment;
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(arguments, System.getenv(), System.out, System.err));
    }

    static int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err)
            throws InterruptedException {
        var main = new Main(arguments, environment);
        return new Program(
                        "policy-server",
                        DESCRIPTION,
                        ProgramVersion.lines("policy-server", Main.class),
                        ServerFlags.ALL,
                        main::serve)
                .withCommand("docs", "Writes the command line reference.", List.of(OUTPUT), Main::writeDocs)
                .withCommand(
                        "prepare",
                        "Prepares a module in a process with limits, as the server does, and reports the result.",
                        PreparationCommands.PREPARE_FLAGS,
                        parsed -> PreparationCommands.prepare(parsed, out))
                .withCommand(
                        "release-quarantine",
                        "Lets a server that serves a policies file prepare a quarantined module again.",
                        PreparationCommands.RELEASE_FLAGS,
                        parsed -> PreparationCommands.release(parsed, out))
                .run(arguments, environment, out, err);
    }

    private ExitCode serve(Arguments parsed) throws InterruptedException {
        var settings = ServerSettings.from(parsed, environment, TerminalDetection.isOutput());
        if (settings.background().isPresent()) {
            Daemon.launch(settings.background().get(), List.of(arguments));
            return ExitCode.OK;
        }
        var observed = settings.observability();
        Logging.configure(new LogSettings(observed.logLevel(), observed.logFormat(), observed.colours(), System.out));
        var log = LoggerFactory.getLogger(Main.class);
        ServerSettings.warnings(parsed).forEach(log::warn);

        var drain =
                new Drain(settings.lifetime().drainLag(), settings.lifetime().drainTimeout());
        var metrics = new Metrics();
        var telemetry = new Telemetry("kubewarden-policy-server", "kubewarden", environment);
        try (var signals = Signals.install();
                var _ = observed.pushMetrics() ? telemetry.pushMetrics(metrics) : Telemetry.NOTHING;
                var tracing = observed.exportTraces() ? telemetry.exportTraces() : Tracing.OFF;
                var server = PolicyServerProgram.start(settings, environment, metrics, tracing)) {
            signals.endWithin(drain.total());
            log.atInfo()
                    .addKeyValue("port", server.apiPort())
                    .addKeyValue("readiness_port", server.probePort())
                    .addKeyValue("tls", settings.listen().tls().isPresent())
                    .addKeyValue("engine", server.engineName())
                    .log(server.isReady() ? "policy server ready" : "policy server listening");
            signals.awaitOr(server.failure());
            if (!signals.isAsked()) {
                throw new FailureException(
                        String.valueOf(server.failure().exceptionNow().getMessage()), null);
            }
            drain.run(server);
            return ExitCode.OK;
        } catch (PoliciesFileException | TlsException | ArtifactException | MemorySplit.TooSmallException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        } catch (IOException | UncheckedIOException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        }
    }

    private static ExitCode writeDocs(Arguments parsed) {
        var file = parsed.get(OUTPUT);
        try {
            Files.writeString(file, Reference.markdown("policy-server", DESCRIPTION, ServerFlags.ALL));
            return ExitCode.OK;
        } catch (IOException e) {
            throw new FailureException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
