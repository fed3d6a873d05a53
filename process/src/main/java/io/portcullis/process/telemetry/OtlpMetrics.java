package io.portcullis.process.telemetry;

import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.portcullis.process.metrics.Metrics;
import java.time.Duration;

/** Pushes our metrics through the OpenTelemetry SDK, which reads and sends them once a minute by default. */
final class OtlpMetrics {

    private OtlpMetrics() {}

    static Telemetry.Push start(Telemetry telemetry, Metrics metrics) {
        var endpoint = new OtlpEndpoint(telemetry, "METRICS");
        var exporter = OtlpGrpcMetricExporter.builder()
                .setEndpoint(endpoint.url())
                .setTimeout(endpoint.timeout())
                .setCompression(endpoint.compression());
        endpoint.authenticate(exporter::addHeader, exporter::setTrustedCertificates, exporter::setClientTls);
        var interval = Duration.ofMillis(Long.parseLong(telemetry.variable("OTEL_METRIC_EXPORT_INTERVAL", "60000")));
        var reader = PeriodicMetricReader.builder(exporter.build())
                .setInterval(interval)
                .build();
        var provider = SdkMeterProvider.builder()
                .setResource(endpoint.resource())
                .registerMetricProducer(new MetricsProducer(telemetry.scope(), metrics))
                .registerMetricReader(reader)
                .build();
        return provider::close;
    }
}
