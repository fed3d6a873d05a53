package io.portcullis.process.telemetry;

import io.portcullis.process.metrics.Metrics;
import java.util.Map;

/**
 * Pushes to an OpenTelemetry collector by OTLP/gRPC. The standard {@code OTEL_*} variables say where to and how.
 *
 * @param service the service name when {@code OTEL_SERVICE_NAME} gives none
 */
public record Telemetry(String service, String scope, Map<String, String> environment) {

    /** Something that is pushed until closed. */
    public interface Push extends AutoCloseable {
        @Override
        void close();
    }

    /** Pushes nothing. */
    public static final Push NOTHING = () -> {};

    /** Pushes metrics until closed; the last values go out on close. */
    public Push pushMetrics(Metrics metrics) {
        return OtlpMetrics.start(this, metrics);
    }

    /** Traces that are exported until closed. */
    public Tracing exportTraces() {
        return OtlpTracing.start(this);
    }

    String variable(String name, String fallback) {
        var value = environment.get(name);
        return value == null || value.isBlank() ? fallback : value;
    }
}
