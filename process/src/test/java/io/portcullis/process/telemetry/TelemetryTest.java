package io.portcullis.process.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.resources.Resource;
import io.portcullis.process.http.Listener;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TelemetryTest {

    @Test
    void convertsMetricsToOpenTelemetry() {
        var metrics = new Metrics();
        metrics.counter("evaluations", "All.", "policy", "code").with("p", "").increment();
        metrics.histogram(new Description("latency", "milliseconds", "Time.", List.of()), 1, 2)
                .with()
                .record(1.5);

        var produced = List.copyOf(new MetricsProducer("test", metrics).produce(Resource.empty()));

        assertThat(produced).hasSize(2);
        var counter = produced.get(0);
        assertThat(counter.getName()).isEqualTo("evaluations");
        assertThat(counter.getType()).isEqualTo(MetricDataType.LONG_SUM);
        var point = counter.getLongSumData().getPoints().iterator().next();
        assertThat(point.getValue()).isEqualTo(1);
        assertThat(point.getAttributes().asMap()).hasSize(1);
        var histogram = produced.get(1);
        assertThat(histogram.getUnit()).isEqualTo("ms");
        assertThat(histogram.getHistogramData().getPoints().iterator().next().getCounts())
                .containsExactly(0L, 1L, 0L);
    }

    @Test
    void prefersTheVariableOfTheSignal() {
        var telemetry = new Telemetry(
                "svc",
                "scope",
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://general:4317",
                        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://metrics:4317",
                        "OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c,d=e"));

        assertThat(new OtlpEndpoint(telemetry, "METRICS").url()).isEqualTo("http://metrics:4317");
        assertThat(new OtlpEndpoint(telemetry, "TRACES").url()).isEqualTo("http://general:4317");
        assertThat(new OtlpEndpoint(telemetry, "TRACES").headers())
                .containsEntry("a", "b c")
                .containsEntry("d", "e");
        assertThat(new OtlpEndpoint(new Telemetry("svc", "scope", Map.of()), "TRACES").url())
                .isEqualTo("http://localhost:4317");
    }

    @Test
    void startsAndEndsWithoutACollector() throws Exception {
        var telemetry = new Telemetry(
                "svc",
                "scope",
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT", "100"));

        try (var pushed = telemetry.pushMetrics(new Metrics());
                var tracing = telemetry.exportTraces();
                var span = tracing.start("validation")) {
            assertThat(pushed).isNotNull();
            assertThat(span.isRecording()).isTrue();
        }
    }

    /** A program that runs once, such as the audit scanner, must push its last values before it ends. */
    @Test
    void pushesTheLastValuesOnCloseToAFakeCollector() throws Exception {
        var pushes = new LinkedBlockingQueue<String>();
        try (var collector = new Listener(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                ListenerLimits.DEFAULT,
                Duration.ofSeconds(1),
                (request, response) -> {
                    var body = request.content().as(byte[].class);
                    pushes.add(request.path().path() + " " + new String(body, StandardCharsets.ISO_8859_1));
                    response.send();
                },
                new Metrics())) {
            var telemetry = new Telemetry(
                    "kubewarden-audit-scanner",
                    "kubewarden",
                    Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port()));
            var metrics = new Metrics();
            try (var _ = telemetry.pushMetrics(metrics)) {
                metrics.counter("kubewarden_audit_objects", "Objects that were judged.")
                        .with()
                        .increment();
            }

            assertThat(pushes.poll(20, TimeUnit.SECONDS))
                    .startsWith("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export ")
                    .contains("kubewarden-audit-scanner", "kubewarden_audit_objects");
        }
    }
}
