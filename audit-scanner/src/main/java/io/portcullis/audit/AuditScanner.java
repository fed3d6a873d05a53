package io.portcullis.audit;

import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.evaluation.PolicyCaller;
import io.portcullis.audit.evaluation.PolicyServers;
import io.portcullis.audit.evaluation.Retries;
import io.portcullis.audit.policy.PolicyDiscovery;
import io.portcullis.audit.report.Report;
import io.portcullis.audit.scan.AuditScan;
import io.portcullis.audit.scan.ScanProgress;
import io.portcullis.audit.scan.Summary;
import io.portcullis.audit.scan.Tally;
import io.portcullis.audit.settings.AuditSettings;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.kubernetes.EventWriter.Repetition;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.ClientTls;
import java.io.PrintStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;

/** Wires the components of a scan and runs it once. */
final class AuditScanner {

    /** High enough to keep policy servers busy, low enough that they do not reject requests for overload. */
    private static final int MAX_CONCURRENT_REQUESTS = 64;

    /** The wait for the API server to accept the Events of a run, at its end. */
    private static final Duration EVENT_TIMEOUT = Duration.ofSeconds(10);

    private final AuditSettings settings;
    private final KubernetesClient client;
    private final Metrics metrics;
    private final InstantSource clock;
    private final PrintStream out;

    AuditScanner(
            AuditSettings settings, KubernetesClient client, Metrics metrics, InstantSource clock, PrintStream out) {
        this.settings = settings;
        this.client = client;
        this.metrics = metrics;
        this.clock = clock;
        this.out = out;
    }

    Summary run(ScanProgress progress) throws InterruptedException {
        var connection = settings.connection();
        var tls = ClientTls.load(connection.extraAuthorities().stream().toList(), connection.identity());
        var api = new KubernetesApi(client);
        var lister = new Lister(api, settings.pageSize());
        var retries = Retries.starting(connection.retryInterval());
        metrics.gauge(
                "kubewarden_audit_retries", "Requests to policy servers that had to be repeated.", retries::count);
        metrics.gauge("kubewarden_audit_list_calls", "Pages asked of the API server.", lister::calls);
        var events = new EventWriter(client, new EventSource("audit-scanner", null), Repetition.LIMITED, clock);
        try (var servers =
                new PolicyServers(tls, connection.checksServers(), MAX_CONCURRENT_REQUESTS, System::nanoTime)) {
            var discovery = new PolicyDiscovery(api, lister, connection.server());
            return new AuditScan(
                            parameters(),
                            new AuditScan.Dependencies(
                                    api,
                                    events,
                                    lister,
                                    new PolicyCaller.Dependencies(servers, discovery, retries),
                                    clock,
                                    new Tally(metrics),
                                    progress,
                                    this::print))
                    .run();
        } finally {
            events.close(EVENT_TIMEOUT);
        }
    }

    private AuditScan.Parameters parameters() {
        return new AuditScan.Parameters(
                settings.target().scope(),
                settings.target().namespace(),
                settings.target().ignored(),
                settings.output().reportKind(),
                settings.output().storesReports(),
                UUID.randomUUID().toString(),
                settings.limits());
    }

    private void print(Report report) {
        if (settings.output().printsReports()) {
            out.println(report.document());
        }
    }
}
