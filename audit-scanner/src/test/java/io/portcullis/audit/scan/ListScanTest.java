package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.evaluation.AuditReview;
import io.portcullis.audit.evaluation.PolicyCaller;
import io.portcullis.audit.evaluation.PolicyServers;
import io.portcullis.audit.evaluation.Retries;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.audit.policy.PolicyDiscovery;
import io.portcullis.audit.policy.Webhook;
import io.portcullis.audit.report.Report;
import io.portcullis.audit.report.ReportKind;
import io.portcullis.audit.report.Reports;
import io.portcullis.audit.scan.ScanPlan.Assignment;
import io.portcullis.audit.scan.ScanPlan.Work;
import io.portcullis.audit.scan.Tally.Failure;
import io.portcullis.audit.targets.AuditedType;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.matching.FailurePolicy;
import io.portcullis.matching.RequestMatcher;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.ClientTls;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how failures with one object are counted. The API server is a fake with one Pod. */
class ListScanTest {

    private static final AuditedType PODS = new AuditedType("", "v1", "pods", "Pod", true);
    /** The API server answers 500 for this version, so that the policy's verdict is an error without a policy server. */
    private static final AuditedType UNREADABLE_PODS = new AuditedType("", "v2", "pods", "Pod", true);

    private static final String LIST = """
            {"metadata": {}, "items": [{"metadata": {"name": "web", "namespace": "shop", "uid": "1"}}]}""";

    private final Tally tally = new Tally(new Metrics());
    private HttpServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        respond("/api/v1/pods", 200, LIST);
        respond("/api/v2/", 500, "{}");
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    private void respond(String path, int status, String body) {
        server.createContext(path, exchange -> {
            try (exchange) {
                var bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void countsAReportThatCannotBeStoredAsAStoreFailure() {
        scan(ListScanTest::context, _ -> {
            throw new ApiException(500, "etcd is full", null);
        });

        assertThat(tally.count(Failure.STORE)).isEqualTo(1);
        assertThat(tally.count(Failure.INTERNAL)).isZero();
    }

    @Test
    void countsAnInternalErrorWithAnObjectAsAnInternalFailure() {
        scan(
                _ -> {
                    throw new IllegalStateException("a bug");
                },
                _ -> Reports.Stored.CREATED);

        assertThat(tally.count(Failure.INTERNAL)).isEqualTo(1);
        assertThat(tally.count(Failure.STORE)).isZero();
        assertThat(tally.count(Reports.Stored.CREATED)).isZero();
    }

    @Test
    void countsAnInternalErrorWhileStoringAsAnInternalFailure() {
        scan(ListScanTest::context, _ -> {
            throw new IllegalStateException("a bug");
        });

        assertThat(tally.count(Failure.INTERNAL)).isEqualTo(1);
        assertThat(tally.count(Failure.STORE)).isZero();
    }

    @Test
    void countsAStoredReport() {
        scan(ListScanTest::context, _ -> Reports.Stored.CREATED);

        assertThat(tally.count(Reports.Stored.CREATED)).isEqualTo(1);
        assertThat(tally.count(Failure.INTERNAL)).isZero();
        assertThat(tally.count(Failure.STORE)).isZero();
    }

    private void scan(Function<String, Report.ReportContext> contexts, Reports reports) {
        var api = new KubernetesApi(client);
        var lister = new Lister(api, 500);
        try (var servers = new PolicyServers(ClientTls.load(List.of(), Optional.empty()), true, 1, System::nanoTime)) {
            var evaluator = new ObjectEvaluator(
                    api,
                    new PolicyCaller.Dependencies(
                            servers,
                            new PolicyDiscovery(api, lister, Optional.empty()),
                            Retries.starting(Duration.ZERO)),
                    AuditReview.inNamespace("kubewarden"),
                    Clock.systemUTC(),
                    1);
            var progress = new ScanProgress(new PrintStream(OutputStream.nullOutputStream()), false);
            new ListScan(lister, evaluator, reports, contexts, tally, progress, _ -> {}, new ObjectMemoryLimit(1), 1)
                    .run(
                            new Work(PODS, List.of(new Assignment(policy(), UNREADABLE_PODS))),
                            Optional.empty(),
                            new Namespaces(Map.of("shop", Map.of())));
        }
    }

    private static Report.ReportContext context(String namespace) {
        return new Report.ReportContext(ReportKind.OPEN_REPORTS, "run of " + namespace, 0, 0);
    }

    private static AuditedPolicy policy() {
        var webhook = new Webhook(
                Webhook.Flavour.VALIDATING,
                "policy",
                new Webhook.Claim("policy", "", ""),
                new Endpoint(URI.create("https://h/audit/policy"), "", 0),
                new RequestMatcher(
                        List.of(),
                        new LabelRequirements(Map.of()),
                        new LabelRequirements(Map.of()),
                        List.of(),
                        FailurePolicy.FAIL));
        return new AuditedPolicy(
                "policy",
                new PolicyRef(PolicyKind.CLUSTER_ADMISSION_POLICY, "", "policy"),
                new AuditedPolicy.ReportAttributes("", "", "", "", false, false),
                webhook);
    }
}
