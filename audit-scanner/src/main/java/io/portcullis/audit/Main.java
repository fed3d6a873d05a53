package io.portcullis.audit;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.scan.ScanProgress;
import io.portcullis.audit.scan.Summary;
import io.portcullis.audit.settings.AuditFlags;
import io.portcullis.audit.settings.AuditSettings;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.Program;
import io.portcullis.process.cli.Reference;
import io.portcullis.process.cli.Version;
import io.portcullis.process.logging.LogSettings;
import io.portcullis.process.logging.Logging;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.telemetry.Telemetry;
import io.portcullis.process.tls.TlsException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Entry point of the audit scanner. {@link AuditScanner} wires the components. */
public final class Main {

    private static final String DESCRIPTION =
            "Judges what already runs in a cluster by the policies that are enforced now.";
    private static final Flag<Path> OUTPUT = Flag.path("--output", "", "The file to write.");

    /** Enough retries for a restarting API server. If the API server is down, a CronJob must not wait long. */
    private static final int API_RETRIES = 5;

    private static final int API_TIMEOUT_MILLIS = 60_000;

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    private Main(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(arguments, System.getenv(), System.out, System.err));
    }

    static int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err)
            throws InterruptedException {
        var main = new Main(environment, out, err);
        return new Program(
                        "audit-scanner",
                        DESCRIPTION,
                        Version.lines("audit-scanner", Main.class),
                        AuditFlags.ALL,
                        main::scan)
                .withCommand("docs", "Writes the command line reference.", List.of(OUTPUT), Main::writeDocs)
                .run(arguments, environment, out, err);
    }

    private ExitCode scan(Arguments parsed) throws InterruptedException {
        var settings = AuditSettings.from(parsed);
        var output = settings.output();
        Logging.configure(new LogSettings(output.logLevel(), output.logFormat(), false, out));
        var metrics = new Metrics();
        var telemetry = new Telemetry("kubewarden-audit-scanner", "kubewarden", environment);
        // Only the launcher can detect which streams are terminals.
        var isTerminal = System.getProperty("portcullis.terminals", "").contains("2");
        try (var _ = output.pushesMetrics() ? telemetry.pushMetrics(metrics) : Telemetry.NOTHING;
                var client = new KubernetesClientBuilder()
                        .withConfig(configuration())
                        .build();
                var progress = new ScanProgress(err, isTerminal)) {
            var summary = new AuditScanner(settings, client, metrics, Clock.systemUTC(), out).run(progress);
            finish(summary, metrics);
            if (output.metricsFile().isPresent()) {
                write(output.metricsFile().get(), metrics);
            }
            return summary.isComplete() ? ExitCode.OK : ExitCode.FAILURE;
        } catch (ApiException e) {
            throw new FailureException("nothing was audited: " + e.getMessage(), e);
        } catch (KubernetesClientException | TlsException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the client configuration: KUBECONFIG if set, otherwise the service account of the pod. */
    private Config configuration() {
        var kubeconfig = environment.getOrDefault("KUBECONFIG", "");
        var config = kubeconfig.isBlank()
                ? new ConfigBuilder().build()
                : Config.fromKubeconfig(Path.of(kubeconfig).toFile());
        config.setRequestRetryBackoffLimit(API_RETRIES);
        config.setRequestTimeout(API_TIMEOUT_MILLIS);
        return config;
    }

    private static void finish(Summary summary, Metrics metrics) {
        var now = Clock.systemUTC().instant().getEpochSecond();
        metrics.gauge("kubewarden_audit_last_run_timestamp_seconds", "When the run ended.", () -> now);
        var duration = summary.counts().getOrDefault("duration_ms", 0L);
        metrics.gauge("kubewarden_audit_duration_milliseconds", "How long the run took.", () -> duration);
        var line = LoggerFactory.getLogger(Main.class).atInfo();
        for (var count : summary.counts().entrySet()) {
            line = line.addKeyValue(count.getKey(), count.getValue());
        }
        line.log(summary.isComplete() ? "audit finished" : "audit finished with failures");
    }

    /** Writes a temporary file and renames it, so that collectors never read a partial file. */
    private static void write(Path file, Metrics metrics) {
        try {
            var temporary = file.resolveSibling(file.getFileName() + ".tmp");
            Files.writeString(temporary, PrometheusText.render(metrics));
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new FailureException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static ExitCode writeDocs(Arguments parsed) {
        var file = parsed.get(OUTPUT);
        try {
            Files.writeString(file, Reference.markdown("audit-scanner", DESCRIPTION, AuditFlags.ALL));
            return ExitCode.OK;
        } catch (IOException e) {
            throw new FailureException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
