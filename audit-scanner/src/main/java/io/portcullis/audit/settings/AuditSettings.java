package io.portcullis.audit.settings;

import io.portcullis.audit.report.ReportKind;
import io.portcullis.audit.scan.ScanLimits;
import io.portcullis.audit.targets.AuditScope;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.UsageException;
import io.portcullis.process.logging.LogFormat;
import io.portcullis.process.tls.TlsFiles;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.event.Level;

/** The validated settings of the scanner. */
public record AuditSettings(Target target, Connection connection, Output output, ScanLimits limits, int pageSize) {

    /** The objects to scan. */
    public record Target(AuditScope scope, String namespace, Set<String> ignored) {}

    /** Connection settings for policy servers. */
    public record Connection(
            Optional<URI> server,
            boolean checksServers,
            Optional<Path> extraAuthorities,
            Optional<TlsFiles> identity,
            Duration retryInterval) {}

    /** Output settings. */
    public record Output(
            ReportKind reportKind,
            boolean storesReports,
            boolean printsReports,
            Level logLevel,
            LogFormat logFormat,
            Optional<Path> metricsFile,
            boolean pushesMetrics) {}

    /** @throws UsageException if flags are invalid, alone or in combination */
    public static AuditSettings from(Arguments arguments) {
        return new AuditSettings(
                new Target(
                        scope(arguments),
                        arguments.get(AuditFlags.KUBEWARDEN_NAMESPACE),
                        Set.copyOf(arguments.find(AuditFlags.IGNORE_NAMESPACES).orElse(List.of()))),
                connection(arguments),
                output(arguments),
                new ScanLimits(
                        arguments.get(AuditFlags.PARALLEL_NAMESPACES),
                        arguments.get(AuditFlags.PARALLEL_RESOURCES),
                        arguments.get(AuditFlags.PARALLEL_POLICIES),
                        arguments.get(AuditFlags.MAX_REPORTS)),
                arguments.get(AuditFlags.PAGE_SIZE));
    }

    private static AuditScope scope(Arguments arguments) {
        var namespace = arguments.find(AuditFlags.NAMESPACE).filter(name -> !name.isEmpty());
        if (arguments.get(AuditFlags.CLUSTER)) {
            if (namespace.isPresent()) {
                throw new UsageException("--namespace and --cluster exclude each other");
            }
            return new AuditScope.ClusterWide();
        }
        return namespace.<AuditScope>map(AuditScope.OneNamespace::new).orElseGet(AuditScope.Everything::new);
    }

    private static Connection connection(Arguments arguments) {
        var certificate = arguments.find(AuditFlags.CLIENT_CERT);
        var key = arguments.find(AuditFlags.CLIENT_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            throw new UsageException("--client-cert and --client-key must be given together");
        }
        return new Connection(
                arguments
                        .find(AuditFlags.POLICY_SERVER_URL)
                        .filter(url -> !url.isEmpty())
                        .map(AuditSettings::serverUrl),
                !arguments.get(AuditFlags.INSECURE_SSL),
                arguments.find(AuditFlags.EXTRA_CA),
                certificate.flatMap(file -> key.map(secret -> new TlsFiles(file, secret, List.of()))),
                arguments.get(AuditFlags.RETRY_INTERVAL));
    }

    private static URI serverUrl(String text) {
        try {
            var url = URI.create(text);
            if (url.getHost() != null && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
                return url;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new UsageException("invalid value '" + text + "' for the option '--policy-server-url': expected a URL"
                + " such as https://localhost:3000");
    }

    private static Output output(Arguments arguments) {
        return new Output(
                ReportKind.parse(arguments.get(AuditFlags.REPORT_KIND)).orElseThrow(),
                !arguments.get(AuditFlags.DISABLE_STORE),
                arguments.get(AuditFlags.OUTPUT_SCAN),
                level(arguments.get(AuditFlags.LOG_LEVEL)),
                arguments.get(AuditFlags.LOG_FORMAT).equals("text") ? LogFormat.TEXT : LogFormat.JSON,
                arguments.find(AuditFlags.METRICS_FILE),
                arguments.get(AuditFlags.ENABLE_METRICS));
    }

    private static Level level(String name) {
        return switch (name) {
            case "debug" -> Level.DEBUG;
            case "warning" -> Level.WARN;
            case "error" -> Level.ERROR;
            default -> Level.INFO;
        };
    }
}
