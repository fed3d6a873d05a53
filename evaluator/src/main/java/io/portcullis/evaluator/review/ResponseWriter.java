package io.portcullis.evaluator.review;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes responses. Key order, absent members and explicit nulls match Kubewarden. */
public final class ResponseWriter {

    private static final JsonFactory FACTORY = new JsonFactory();

    private ResponseWriter() {}

    /** Writes the body of the response to an AdmissionReview; the version is always v1. */
    public static byte[] review(AdmissionResponse response) {
        return document(response, true);
    }

    /** Writes the body of the response to a raw request. */
    public static byte[] raw(AdmissionResponse response) {
        return document(response, false);
    }

    /** Writes only the response, without an envelope. */
    public static byte[] bare(AdmissionResponse response) {
        var bytes = new ByteArrayOutputStream(256);
        try (var out = FACTORY.createGenerator(bytes)) {
            write(response, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] document(AdmissionResponse response, boolean review) {
        var bytes = new ByteArrayOutputStream(256);
        try (var out = FACTORY.createGenerator(bytes)) {
            out.writeStartObject();
            if (review) {
                out.writeStringField("kind", "AdmissionReview");
                out.writeStringField("apiVersion", "admission.k8s.io/v1");
            }
            out.writeFieldName("response");
            write(response, out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(AdmissionResponse response, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("uid", response.uid());
        out.writeBooleanField("allowed", response.allowed());
        if (response.patch().isPresent()) {
            out.writeStringField("patchType", "JSONPatch");
            out.writeStringField(
                    "patch", Base64.getEncoder().encodeToString(response.patch().get()));
        }
        if (response.status().isPresent()) {
            write(response.status().get(), out);
        }
        out.writeFieldName("auditAnnotations");
        var annotations = response.auditAnnotations();
        if (annotations == null) {
            out.writeNull();
        } else {
            out.writeStartObject();
            for (var entry : annotations.entrySet()) {
                out.writeStringField(entry.getKey(), entry.getValue());
            }
            out.writeEndObject();
        }
        out.writeFieldName("warnings");
        var warnings = response.warnings();
        if (warnings == null) {
            out.writeNull();
        } else {
            out.writeStartArray();
            for (var warning : warnings) {
                out.writeString(warning);
            }
            out.writeEndArray();
        }
        out.writeEndObject();
    }

    private static void write(Status status, JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("status");
        writeIfPresent("status", status.status(), out);
        writeIfPresent("message", status.message(), out);
        writeIfPresent("reason", status.reason(), out);
        if (status.details().isPresent()) {
            write(status.details().get(), out);
        }
        if (status.code().isPresent()) {
            out.writeNumberField("code", status.code().get());
        }
        out.writeEndObject();
    }

    private static void write(Details details, JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("details");
        writeIfPresent("name", details.name(), out);
        writeIfPresent("group", details.group(), out);
        writeIfPresent("kind", details.kind(), out);
        writeIfPresent("uid", details.uid(), out);
        if (!details.causes().isEmpty()) {
            out.writeArrayFieldStart("causes");
            for (var cause : details.causes()) {
                write(cause, out);
            }
            out.writeEndArray();
        }
        if (details.retryAfterSeconds().isPresent()) {
            out.writeNumberField(
                    "retryAfterSeconds", details.retryAfterSeconds().get());
        }
        out.writeEndObject();
    }

    private static void write(Cause cause, JsonGenerator out) throws IOException {
        out.writeStartObject();
        writeOrNull("reason", cause.reason(), out);
        writeOrNull("message", cause.message(), out);
        writeOrNull("field", cause.field(), out);
        out.writeEndObject();
    }

    private static void writeIfPresent(String key, Optional<String> value, JsonGenerator out) throws IOException {
        if (value.isPresent()) {
            out.writeStringField(key, value.get());
        }
    }

    private static void writeOrNull(String key, @Nullable String value, JsonGenerator out) throws IOException {
        out.writeFieldName(key);
        out.writeString(value);
    }
}
