package io.portcullis.server;

import io.portcullis.api.policies.PoliciesFileException;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.Program;
import io.portcullis.process.cli.Reference;
import io.portcullis.process.files.FileWatch;
import io.portcullis.process.logging.LogSettings;
import io.portcullis.process.logging.Logging;
import io.portcullis.process.logging.Terminal;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.signals.Signals;
import io.portcullis.process.telemetry.Telemetry;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.process.tls.TlsException;
import io.portcullis.server.daemon.Daemon;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.PoolLimits;
import io.portcullis.server.http.ApiLimits;
import io.portcullis.server.http.ApiServer;
import io.portcullis.server.settings.ServerFlags;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.server.standalone.StandaloneSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/** Starts the policy server. All wiring is here, top to bottom. */
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
        var main = new Main(arguments, System.getenv());
        var program = new Program("policy-server", DESCRIPTION, Version.lines(), ServerFlags.ALL, main::serve)
                .withCommand("docs", "Writes the command line reference.", List.of(OUTPUT), Main::writeDocs);
        System.exit(program.run(arguments, main.environment, System.out, System.err));
    }

    private ExitCode serve(Arguments parsed) throws InterruptedException {
        var settings = ServerSettings.from(parsed, environment, Terminal.isOutput());
        if (settings.background().isPresent()) {
            Daemon.launch(settings.background().get(), List.of(arguments));
            return ExitCode.OK;
        }
        var observed = settings.observability();
        Logging.configure(new LogSettings(observed.logLevel(), observed.logFormat(), observed.colours(), System.out));
        var log = LoggerFactory.getLogger(Main.class);
        ServerSettings.ignored(parsed).forEach(log::warn);

        var metrics = new Metrics();
        var telemetry = new Telemetry("kubewarden-policy-server", "kubewarden", environment);
        try (var signals = Signals.install();
                var _ = observed.pushMetrics() ? telemetry.pushMetrics(metrics) : (AutoCloseable) () -> {};
                var tracing = observed.exportTraces() ? telemetry.exportTraces() : Tracing.OFF;
                var policyEngine = PolicyEngine.start(settings, environment)) {
            var served = new EvaluationEnvironment();
            var evaluations = evaluations(settings, served, metrics, tracing);
            var source = new StandaloneSource(
                    settings.sources().policies(),
                    policyEngine.fetcher(),
                    policyEngine.loader(),
                    served,
                    Clock.systemUTC());
            var tls = settings.listen().tls().map(ServerTls::start);
            var ready = new AtomicBoolean();
            var probe = ProbeServer.start(
                    new InetSocketAddress(
                            settings.listen().address(), settings.listen().readinessPort()),
                    ready::get,
                    metrics);
            load(source, settings.lifetime().failFast());
            var api = new ApiServer(
                    new InetSocketAddress(
                            settings.listen().address(), settings.listen().port()),
                    tls,
                    settings.lifetime().drainTimeout(),
                    evaluations,
                    source.policies()::states,
                    new ApiLimits(settings.evaluation().maxBodyBytes(), observed.profiling()));
            source.follow(FileWatch.POLL);
            var server = new PolicyServer(ready, api, probe, evaluations);
            server.becomeReady();
            log.atInfo()
                    .addKeyValue("port", server.apiPort())
                    .addKeyValue("readiness_port", server.probePort())
                    .addKeyValue("tls", tls.isPresent())
                    .addKeyValue("engine", policyEngine.name())
                    .addKeyValue("policies", source.policies().states().size())
                    .log("policy server ready");

            signals.await();
            new Drain(settings.lifetime().drainLag(), settings.lifetime().drainTimeout()).run(server);
            source.close();
            return ExitCode.OK;
        } catch (PoliciesFileException | TlsException | ArtifactException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new FailureException("cannot listen: " + e.getMessage(), e);
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new FailureException("cannot end in order: " + e.getMessage(), e);
        }
    }

    private Evaluations evaluations(
            ServerSettings settings, EvaluationEnvironment served, Metrics metrics, Tracing tracing) {
        var limits = settings.evaluation();
        return new Evaluations(
                served,
                new PoolLimits(limits.workers(), limits.queueSize(), limits.queueTimeout()),
                metrics,
                tracing,
                Optional.ofNullable(environment.get("HOSTNAME")).orElse("unknown"),
                limits.acceptedNamespace());
    }

    private static void load(StandaloneSource source, boolean failFast) throws InterruptedException {
        source.load();
        if (failFast && !source.failures().isEmpty()) {
            throw new FailureException(source.failures().getFirst(), null);
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
