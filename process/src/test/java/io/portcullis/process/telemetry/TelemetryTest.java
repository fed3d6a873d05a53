package io.portcullis.process.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.resources.Resource;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TelemetryTest {

    @Test
    void showsOurMetricsInOpenTelemetrysTerms() {
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
    void theVariableOfTheSignalWins() {
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
}
