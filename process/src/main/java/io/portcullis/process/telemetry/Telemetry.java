package io.portcullis.process.telemetry;

import io.portcullis.process.metrics.Metrics;
import java.util.Map;

/**
 * Pushes to an OpenTelemetry collector by OTLP/gRPC. The standard {@code OTEL_*} variables configure the export.
 *
 * @param service the service name when {@code OTEL_SERVICE_NAME} is not set
 */
public record Telemetry(String service, String scope, Map<String, String> environment) {

    /** A running export, which {@link #close} ends. */
    public interface Push extends AutoCloseable {
        @Override
        void close();
    }

    /** Pushes nothing. */
    public static final Push NOTHING = () -> {};

    /** Pushes metrics until closed; close sends the last values. */
    public Push pushMetrics(Metrics metrics) {
        return OtlpMetrics.start(this, metrics);
    }

    /** Returns a tracer that exports spans until it is closed. */
    public Tracing exportTraces() {
        return OtlpTracing.start(this);
    }

    String variable(String name, String fallback) {
        var value = environment.get(name);
        return value == null || value.isBlank() ? fallback : value;
    }
}
