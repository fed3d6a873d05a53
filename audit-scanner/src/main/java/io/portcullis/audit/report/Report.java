package io.portcullis.audit.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.matching.MatchOutcome;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The report for one object. The object's UID is the report's name.
 *
 * @param namespace of the object and the report; empty for cluster-scoped objects
 * @param document the complete report resource
 */
public record Report(String name, String namespace, ObjectNode document) {

    static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    static final String MANAGER = "kubewarden";
    static final String VERSION = "kubewarden.io/policyreport-version";
    static final String RUN = "kubewarden.io/audit-scanner-run-uid";

    /** Selects reports of scanners, including Kubewarden's. */
    static final String MANAGED_REPORTS = "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubewarden";

    /** Limit of messages that guests return, because etcd limits an object to 1.5 MB. */
    static final int MAX_MESSAGE = 4096;

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /**
     * Fields that all reports of a run, or of a namespace in it, share.
     *
     * @param skipped number of policies that are not audited here
     * @param errored number of policies that cannot be audited
     */
    public record ReportContext(ReportKind kind, String runUid, long skipped, long errored) {}

    /** @param object complete, with apiVersion and kind */
    public static Report of(ReportContext context, ObjectNode object, List<Judgement> judgements) {
        var metadata = object.path("metadata");
        var uid = metadata.path("uid").asText();
        var namespace = metadata.path("namespace").asText("");
        var document = NODES.objectNode();
        document.put("apiVersion", context.kind().apiVersion());
        document.put("kind", context.kind().kind(namespace));
        document.set("metadata", metadata(context, object, uid, namespace));
        document.set("scope", scope(object));
        document.set("summary", summary(context, judgements));
        var results = document.putArray("results");
        judgements.stream()
                .sorted(Comparator.comparing(judgement -> judgement.policy().id()))
                .forEach(judgement -> results.add(result(judgement)));
        return new Report(uid, namespace, document);
    }

    private static ObjectNode metadata(ReportContext context, ObjectNode object, String uid, String namespace) {
        var metadata = NODES.objectNode();
        metadata.put("name", uid);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        metadata.putObject("labels").put(MANAGED_BY, MANAGER).put(VERSION, "v2").put(RUN, context.runUid());
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

    private static ObjectNode summary(ReportContext context, List<Judgement> judgements) {
        return NODES.objectNode()
                .put("pass", count(judgements, AuditVerdict.Result.PASS))
                .put("fail", count(judgements, AuditVerdict.Result.FAIL))
                .put("warn", 0)
                .put("error", context.errored() + count(judgements, AuditVerdict.Result.ERROR))
                .put("skip", context.skipped());
    }

    private static long count(List<Judgement> judgements, AuditVerdict.Result result) {
        return judgements.stream()
                .filter(judgement -> judgement.verdict().result() == result)
                .count();
    }

    private static ObjectNode result(Judgement judgement) {
        var reportAttributes = judgement.policy().reportAttributes();
        var result = NODES.objectNode();
        result.put("source", MANAGER);
        result.put("policy", judgement.policy().id());
        putUnlessEmpty(result, "category", reportAttributes.category());
        putUnlessEmpty(result, "severity", reportAttributes.isMonitoring() ? "info" : reportAttributes.severity());
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
        if (policy.reportAttributes().isContextAware()) {
            properties.put("context-aware", "true");
        }
        properties.put("policy-resource-version", policy.reportAttributes().resourceVersion());
        properties.put("policy-uid", policy.reportAttributes().uid());
        properties.put("policy-name", policy.ref().name());
        putUnlessEmpty(properties, "policy-namespace", policy.ref().namespace());
        if (judgement.verdict().generation() > 0) {
            properties.put(
                    "policy-generation", Long.toString(judgement.verdict().generation()));
        }
        if (judgement.conditions() instanceof MatchOutcome.Failed failed) {
            properties.put("match-conditions", "not-evaluated");
            properties.put(
                    "match-conditions-error",
                    shortened(failed.errors().stream().map(Report::text).collect(Collectors.joining("; "))));
        }
        return properties;
    }

    private static String text(MatchOutcome.ConditionError error) {
        return error.condition() + ": " + error.reason().lines().findFirst().orElse("it cannot be evaluated");
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
