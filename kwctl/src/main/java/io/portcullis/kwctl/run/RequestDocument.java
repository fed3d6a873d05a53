package io.portcullis.kwctl.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.review.BadReviewException;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.manifest.AdmissionRequests;
import io.portcullis.kwctl.manifest.AdmissionRequests.Operation;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request of a run, from a file or standard input. It is an AdmissionReview, a bare request, or any JSON for raw
 * policies.
 */
public final class RequestDocument {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    /** Keeps numbers as they are written. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final JsonNode json;
    private final String text;

    private RequestDocument(JsonNode json, String text) {
        this.json = json;
        this.text = text;
    }

    public static RequestDocument read(String path, CommandSession session) {
        var text = TextFile.readOrStandardInput(path, session, "Error opening request file " + path);
        rejectObject(path, text);
        try {
            return parse(text);
        } catch (CommandException e) {
            throw new CommandException(path + ": " + e.getMessage(), e.getCause());
        }
    }

    /** Fails on a file that contains an object instead of a request. The kind of a request is not a text. */
    private static void rejectObject(String path, String text) {
        JsonNode object;
        try {
            object = YamlDocuments.parse(text);
        } catch (YamlException _) {
            return; // the JSON parser reports the error
        }
        var kind = object.path("kind");
        if (kind.isTextual()
                && object.path("apiVersion").isTextual()
                && !kind.asText().equals("AdmissionReview")) {
            throw new CommandException(path + " contains an object of kind " + kind.asText()
                    + ", not an admission request; give it with --object " + path + " instead of --request-path");
        }
    }

    /** Builds a request for the creation of an object. */
    public static RequestDocument ofCreation(JsonNode object, JsonNode catalogue) {
        return of(AdmissionRequests.of(Operation.CREATE, Optional.of(object), Optional.empty(), catalogue)
                .request());
    }

    public static RequestDocument parse(String text) {
        try {
            return new RequestDocument(JSON.readTree(text), text);
        } catch (JsonProcessingException e) {
            var place = e.getLocation();
            throw new CommandException("The request is not valid JSON: %s at line %d column %d"
                    .formatted(e.getOriginalMessage(), place.getLineNr(), place.getColumnNr()));
        } catch (NumberFormatException e) {
            throw new CommandException("The request has a number that is too large: " + e.getMessage());
        }
    }

    public static RequestDocument of(JsonNode json) {
        return new RequestDocument(json, json.toString());
    }

    public JsonNode json() {
        return json;
    }

    public EvaluationRequest forPolicy(boolean isRaw) {
        return isRaw ? Reviews.raw(envelope(text)) : admission();
    }

    /** Returns the request without its review. Adds fields that hand-written requests often omit. */
    public ObjectNode admissionRequest() {
        if (!(json instanceof ObjectNode object)) {
            throw new CommandException("Invalid request object: a JSON object is expected");
        }
        return completed(request(object));
    }

    private EvaluationRequest admission() {
        try {
            return Reviews.admission(asWritten(admissionRequest()));
        } catch (BadReviewException e) {
            var why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
            throw new CommandException("cannot build AdmissionRequest object from given input: " + why);
        }
    }

    private static ObjectNode request(ObjectNode object) {
        if (!object.path("kind").asText().equals("AdmissionReview")) {
            return object;
        }
        if (!(object.get("request") instanceof ObjectNode request)) {
            throw new CommandException("invalid AdmissionReview object: it has no request");
        }
        return request;
    }

    /** Adds fields that an API server always sends and hand-written requests often omit, if they can be derived. */
    private static ObjectNode completed(ObjectNode request) {
        var kind = request.path("kind");
        if (!kind.hasNonNull("kind") || (kind.hasNonNull("group") && request.hasNonNull("resource"))) {
            return request;
        }
        var completed = request.deepCopy();
        completed.withObject("/kind").put("group", kind.path("group").asText(""));
        if (!request.hasNonNull("resource")) {
            var plural = AdmissionRequests.pluralOf(
                    kind.path("group").asText(""),
                    kind.path("version").asText(),
                    kind.path("kind").asText());
            completed
                    .putObject("resource")
                    .put("group", kind.path("group").asText(""))
                    .put("version", kind.path("version").asText())
                    .put(
                            "resource",
                            plural.orElseGet(() -> kind.path("kind").asText().toLowerCase(Locale.ROOT) + "s"));
        }
        log.warn("The request names no kind.group or no resource: they were derived from its kind");
        return completed;
    }

    /**
     * Returns the request with numbers as they were written, as an API server sends them. A completed request is serialised
     * again.
     */
    private byte[] asWritten(ObjectNode request) {
        if (json.path("request").equals(request)) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        return envelope(json.equals(request) ? text : request.toString());
    }

    private static byte[] envelope(String request) {
        return ("{\"request\":" + request + "}").getBytes(StandardCharsets.UTF_8);
    }
}
