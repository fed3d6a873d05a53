package io.portcullis.audit.settings;

import io.portcullis.audit.report.ReportKind;
import io.portcullis.process.cli.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** All flags of the scanner. The first block is compatible with Kubewarden; the second is specific to Portcullis. */
public final class AuditFlags {

    static final Flag<String> NAMESPACE = Flag.text(
                    "--namespace", "", "NAMESPACE", "Scan the objects of this namespace only.")
            .withShort("-n");
    static final Flag<Boolean> CLUSTER = Flag.onOff("--cluster", "", "Scan objects outside of namespaces only.")
            .withShort("-c");
    static final Flag<String> KUBEWARDEN_NAMESPACE = Flag.text(
                    "--kubewarden-namespace", "", "NAMESPACE", "Where the scanner and the policy servers run.")
            .withDefault("kubewarden")
            .withShort("-k");
    static final Flag<String> POLICY_SERVER_URL = Flag.text(
                    "--policy-server-url",
                    "",
                    "URL",
                    "Ask this server instead of those that webhooks name; for use outside of the cluster.")
            .withShort("-u");
    static final Flag<String> LOG_LEVEL = Flag.choice(
                    "--loglevel", "", List.of("debug", "info", "warning", "error"), "Least level that is logged.")
            .withDefault("info")
            .withShort("-l");
    static final Flag<Boolean> OUTPUT_SCAN = Flag.onOff(
                    "--output-scan", "", "Print every report as a line of JSON on standard output.")
            .withShort("-o");
    static final Flag<List<String>> IGNORE_NAMESPACES = Flag.list(
                    "--ignore-namespaces", "", "NAMESPACE[,…]", "Namespaces that are not scanned; may be repeated.")
            .withShort("-i");
    static final Flag<Boolean> INSECURE_SSL =
            Flag.onOff("--insecure-ssl", "", "Accept any certificate of policy servers.");
    static final Flag<Path> EXTRA_CA = Flag.path(
                    "--extra-ca", "", "PEM of authorities that are trusted besides those of each webhook.")
            .withShort("-f");
    static final Flag<Path> CLIENT_CERT =
            Flag.path("--client-cert", "", "Certificate in PEM that is shown to policy servers.");
    static final Flag<Path> CLIENT_KEY = Flag.path("--client-key", "", "Its private key in PEM.");
    static final Flag<Boolean> DISABLE_STORE =
            Flag.onOff("--disable-store", "", "Neither write nor remove reports in the cluster.");
    static final Flag<Integer> PARALLEL_NAMESPACES = Flag.number(
                    "--parallel-namespaces", "", 1, 100, "Lists, of a namespace or of the cluster, read at once.")
            .withDefault("1");
    static final Flag<Integer> PARALLEL_RESOURCES = Flag.number(
                    "--parallel-resources", "", 1, 10_000, "Objects of each list judged at once.")
            .withDefault("100");
    static final Flag<Integer> PARALLEL_POLICIES = Flag.number(
                    "--parallel-policies", "", 1, 1000, "Policies that judge an object at once.")
            .withDefault("5");
    static final Flag<Integer> PAGE_SIZE = Flag.number(
                    "--page-size", "", 1, 10_000, "Objects asked for in one request.")
            .withDefault("100");
    static final Flag<String> REPORT_KIND = Flag.choice(
                    "--report-kind", "", ReportKind.wireNames(), "Definitions that reports are written in.")
            .withDefault("policyreport");

    static final Flag<Integer> MAX_REPORTS = Flag.number(
                    "--max-reports",
                    "",
                    0,
                    Integer.MAX_VALUE,
                    "How many reports may exist; beyond it objects are judged, but get no new report.")
            .withDefault("50000");
    static final Flag<String> LOG_FORMAT = Flag.choice("--log-fmt", "", List.of("json", "text"), "Shape of log lines.")
            .withDefault("json");
    static final Flag<Path> METRICS_FILE = Flag.path(
            "--metrics-file", "", "Write the run's metrics here in Prometheus' text format, for a textfile collector.");
    static final Flag<Boolean> ENABLE_METRICS =
            Flag.onOff("--enable-metrics", "", "Push the run's metrics by OTLP; see OTEL_* variables.");
    static final Flag<Duration> RETRY_INTERVAL = Flag.duration(
                    "--retry-interval", "", "Wait before the first retry; each further one is twice as long.")
            .withDefault("200ms");

    /** All flags, in the order of the reference page. */
    public static final List<Flag<?>> ALL = List.of(
            NAMESPACE,
            CLUSTER,
            KUBEWARDEN_NAMESPACE,
            POLICY_SERVER_URL,
            LOG_LEVEL,
            OUTPUT_SCAN,
            IGNORE_NAMESPACES,
            INSECURE_SSL,
            EXTRA_CA,
            CLIENT_CERT,
            CLIENT_KEY,
            DISABLE_STORE,
            PARALLEL_NAMESPACES,
            PARALLEL_RESOURCES,
            PARALLEL_POLICIES,
            PAGE_SIZE,
            REPORT_KIND,
            MAX_REPORTS,
            LOG_FORMAT,
            METRICS_FILE,
            ENABLE_METRICS,
            RETRY_INTERVAL);

    private AuditFlags() {}
}
