package io.portcullis.audit.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.condition.MatchOutcome;
import io.portcullis.audit.evaluation.AuditVerdict;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report on one object, named by the object's UID.
 *
 * @param namespace of the object and the report; empty outside of namespaces
 * @param document all of it, as the API server stores it
 */
public record Report(String name, String namespace, ObjectNode document) {

    static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    static final String MANAGER = "kubewarden";
    static final String VERSION = "kubewarden.io/policyreport-version";
    static final String RUN = "kubewarden.io/audit-scanner-run-uid";

    /** Selects what scanners wrote, ours or Kubewarden's. */
    static final String OURS = "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubewarden";

    /** What a guest says is copied into the report, but not without end: etcd takes 1.5 MB for each object. */
    static final int MAX_MESSAGE = 4096;

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /**
     * What all reports of a run, or of a namespace in it, have in common.
     *
     * @param skipped policies that are not audited here
     * @param errored policies that cannot be audited
     */
    public record Frame(ReportKind kind, String runUid, long skipped, long errored) {}

    /** @param object complete, with apiVersion and kind */
    public static Report of(Frame frame, ObjectNode object, List<Judgement> judgements) {
        var metadata = object.path("metadata");
        var uid = metadata.path("uid").asText();
        var namespace = metadata.path("namespace").asText("");
        var document = NODES.objectNode();
        document.put("apiVersion", frame.kind().apiVersion());
        document.put("kind", frame.kind().kind(namespace));
        document.set("metadata", metadata(frame, object, uid, namespace));
        document.set("scope", scope(object));
        document.set("summary", summary(frame, judgements));
        var results = document.putArray("results");
        judgements.stream()
                .sorted(Comparator.comparing(judgement -> judgement.policy().id()))
                .forEach(judgement -> results.add(result(judgement)));
        return new Report(uid, namespace, document);
    }

    private static ObjectNode metadata(Frame frame, ObjectNode object, String uid, String namespace) {
        var metadata = NODES.objectNode();
        metadata.put("name", uid);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        metadata.putObject("labels").put(MANAGED_BY, MANAGER).put(VERSION, "v2").put(RUN, frame.runUid());
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", object.path("apiVersion").asText())
                .put("kind", object.path("kind").asText())
                .put("name", object.path("metadata").path("name").asText())
                .put("uid", uid);
        return metadata;
    }

    private static ObjectNode scope(ObjectNode object) {
        var scope = NODES.objectNode();
        scope.set("apiVersion", object.path("apiVersion"));
        scope.set("kind", object.path("kind"));
        for (var field : List.of("namespace", "name", "uid", "resourceVersion")) {
            var value = object.path("metadata").path(field);
            if (!value.isMissingNode()) {
                scope.set(field, value);
            }
        }
        return scope;
    }

    private static ObjectNode summary(Frame frame, List<Judgement> judgements) {
        return NODES.objectNode()
                .put("pass", count(judgements, AuditVerdict.Result.PASS))
                .put("fail", count(judgements, AuditVerdict.Result.FAIL))
                .put("warn", 0)
                .put("error", frame.errored() + count(judgements, AuditVerdict.Result.ERROR))
                .put("skip", frame.skipped());
    }

    private static long count(List<Judgement> judgements, AuditVerdict.Result result) {
        return judgements.stream()
                .filter(judgement -> judgement.verdict().result() == result)
                .count();
    }

    private static ObjectNode result(Judgement judgement) {
        var look = judgement.policy().look();
        var result = NODES.objectNode();
        result.put("source", MANAGER);
        result.put("policy", judgement.policy().id());
        putUnlessEmpty(result, "category", look.category());
        putUnlessEmpty(result, "severity", look.isMonitoring() ? "info" : look.severity());
        result.putObject("timestamp")
                .put("seconds", judgement.time().getEpochSecond())
                .put("nanos", 0);
        result.put("result", judgement.verdict().result().wireName());
        result.put("scored", true);
        result.putObject("resourceSelector");
        putUnlessEmpty(result, "message", shortened(judgement.verdict().message()));
        result.set("properties", properties(judgement));
        return result;
    }

    private static ObjectNode properties(Judgement judgement) {
        var policy = judgement.policy();
        var properties = NODES.objectNode();
        properties.put(policy.webhook().flavour().property(), "true");
        if (policy.look().isContextAware()) {
            properties.put("context-aware", "true");
        }
        properties.put("policy-resource-version", policy.look().resourceVersion());
        properties.put("policy-uid", policy.look().uid());
        properties.put("policy-name", policy.ref().name());
        putUnlessEmpty(properties, "policy-namespace", policy.ref().namespace());
        if (judgement.verdict().generation() > 0) {
            properties.put(
                    "policy-generation", Long.toString(judgement.verdict().generation()));
        }
        if (judgement.conditions() instanceof MatchOutcome.NotEvaluated unknown) {
            properties.put("match-conditions", "not-evaluated");
            properties.put("match-conditions-error", shortened(unknown.condition() + ": " + unknown.reason()));
        }
        return properties;
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }

    private static String shortened(@Nullable String message) {
        var text = message == null ? "" : message;
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "…";
    }

    byte[] bytes() {
        try {
            return MAPPER.writeValueAsBytes(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
