package io.portcullis.process.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The {@code OTEL_EXPORTER_OTLP_*} variables for one signal: the signal's own variable wins over the general one.
 *
 * @param signal {@code METRICS} or {@code TRACES}
 */
record OtlpEndpoint(Telemetry telemetry, String signal) {

    private static final String PREFIX = "OTEL_EXPORTER_OTLP_";

    String url() {
        var url = variable("ENDPOINT").orElse("http://localhost:4317");
        return url.contains("://") ? url : "http://" + url;
    }

    Duration timeout() {
        return Duration.ofMillis(Long.parseLong(variable("TIMEOUT").orElse("10000")));
    }

    String compression() {
        return variable("COMPRESSION").orElse("none");
    }

    Map<String, String> headers() {
        return pairs(variable("HEADERS").orElse(""));
    }

    Optional<byte[]> certificate() {
        return variable("CERTIFICATE").map(OtlpEndpoint::read);
    }

    Optional<byte[]> clientCertificate() {
        return variable("CLIENT_CERTIFICATE").map(OtlpEndpoint::read);
    }

    Optional<byte[]> clientKey() {
        return variable("CLIENT_KEY").map(OtlpEndpoint::read);
    }

    Resource resource() {
        var attributes = Attributes.builder();
        pairs(telemetry.variable("OTEL_RESOURCE_ATTRIBUTES", "")).forEach(attributes::put);
        attributes.put("service.name", telemetry.variable("OTEL_SERVICE_NAME", telemetry.service()));
        return Resource.getDefault().merge(Resource.create(attributes.build()));
    }

    private Optional<String> variable(String name) {
        var value = telemetry.variable(PREFIX + signal + "_" + name, telemetry.variable(PREFIX + name, ""));
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    private static Map<String, String> pairs(String text) {
        var pairs = new LinkedHashMap<String, String>();
        for (var pair : text.split(",", -1)) {
            var equals = pair.indexOf('=');
            if (equals > 0) {
                pairs.put(
                        pair.substring(0, equals).strip(),
                        URLDecoder.decode(pair.substring(equals + 1).strip(), StandardCharsets.UTF_8));
            }
        }
        return pairs;
    }

    private static byte[] read(String path) {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path + " for OTLP", e);
        }
    }

    /** Hands the credentials of this endpoint to the builder of an exporter; builders of different signals share no type. */
    void authenticate(
            BiConsumer<String, String> header,
            Consumer<byte[]> authorities,
            BiConsumer<byte[], byte[]> keyAndCertificate) {
        headers().forEach(header);
        certificate().ifPresent(authorities);
        clientCertificate()
                .ifPresent(certificate -> clientKey().ifPresent(key -> keyAndCertificate.accept(key, certificate)));
    }
}
