package io.portcullis.process.telemetry;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;

/** Traces exported by OTLP/gRPC in batches. */
final class OtlpTracing implements Tracing {

    private final SdkTracerProvider provider;
    private final Tracer tracer;

    private OtlpTracing(SdkTracerProvider provider, String scope) {
        this.provider = provider;
        this.tracer = provider.get(scope);
    }

    static Tracing start(Telemetry telemetry) {
        var endpoint = new OtlpEndpoint(telemetry, "TRACES");
        var exporter = OtlpGrpcSpanExporter.builder()
                .setEndpoint(endpoint.url())
                .setTimeout(endpoint.timeout())
                .setCompression(endpoint.compression());
        endpoint.authenticate(exporter::addHeader, exporter::setTrustedCertificates, exporter::setClientTls);
        var provider = SdkTracerProvider.builder()
                .setResource(endpoint.resource())
                .addSpanProcessor(BatchSpanProcessor.builder(exporter.build()).build())
                .build();
        return new OtlpTracing(provider, telemetry.scope());
    }

    @Override
    public Tracing.Span start(String name) {
        return new OtlpSpan(
                tracer.spanBuilder(name).setSpanKind(SpanKind.SERVER).startSpan());
    }

    @Override
    public void close() {
        provider.close();
    }

    /** Adapts a span of OpenTelemetry, which is the fully qualified type. */
    private record OtlpSpan(io.opentelemetry.api.trace.Span span) implements Tracing.Span {

        @Override
        public boolean isRecording() {
            return span.isRecording();
        }

        @Override
        public Tracing.Span set(String key, String value) {
            span.setAttribute(key, value);
            return this;
        }

        @Override
        public void close() {
            span.end();
        }
    }
}
