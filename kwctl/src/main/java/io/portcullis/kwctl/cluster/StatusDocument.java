package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.ReplicaReport;
import java.util.List;
import java.util.Optional;

/** Renders the report on one policy as JSON. */
final class StatusDocument {

    private StatusDocument() {}

    static ObjectNode of(PolicyReport report) {
        var document = summary(report.policy());
        conditions(document.putArray("conditions"), report.headlines());
        replicas(document.putArray("replicas"), report);
        switch (report.revisions()) {
            case Reading.Hidden<List<RevisionRow>>(var why) -> document.put("revisionsHidden", why);
            case Reading.Seen<List<RevisionRow>>(var rows) -> {
                var revisions = document.putArray("revisions");
                rows.forEach(row -> revisions.add(revision(row)));
            }
        }
        switch (report.webhook()) {
            case Reading.Hidden<Optional<RegisteredWebhook>>(var why) -> document.put("webhookHidden", why);
            case Reading.Seen<Optional<RegisteredWebhook>>(var found) ->
                found.ifPresent(webhook -> document.putObject("webhook")
                        .put("kind", webhook.kind())
                        .put("name", webhook.name())
                        .put("generation", webhook.generation())
                        .put("policyServer", webhook.policyServer()));
        }
        switch (report.servers()) {
            case Reading.Hidden<List<ReplicaReport>>(var why) -> document.put("replicaReportsHidden", why);
            case Reading.Seen<List<ReplicaReport>>(var replicas) -> {
                if (!replicas.isEmpty()) {
                    var reports = document.putArray("replicaReports");
                    replicas.forEach(replica -> replicaReport(reports.addObject(), replica));
                }
            }
        }
        return document;
    }

    private static void replicaReport(ObjectNode node, ReplicaReport report) {
        node.put("replica", report.replica()).put("memoryLimit", report.memoryLimit());
        var memory = node.putArray("memory");
        report.memory()
                .forEach(part -> memory.addObject()
                        .put("name", part.name())
                        .put("limit", part.limit())
                        .put("used", part.used()));
        var quarantined = node.putArray("quarantined");
        report.quarantined()
                .forEach(module -> quarantined
                        .addObject()
                        .put("digest", module.digest())
                        .put("until", module.until())
                        .put("reason", module.reason()));
    }

    /** Returns the entry of a policy in a list. */
    static ObjectNode summary(Policy policy) {
        var status = PolicyReport.status(policy);
        var diagnosis = Diagnosis.of(policy);
        var node = named(policy.ref())
                .put("policyStatus", status.policyStatus().wireName())
                .put("phase", status.phase().wireName())
                .put("mode", status.mode())
                .put("wantedMode", PolicyReport.specMode(policy))
                .put("generation", Diagnosis.generation(policy))
                .put("observedGeneration", status.observedGeneration())
                .put("activeGeneration", status.activeGeneration())
                .put("enforced", diagnosis.isEnforced());
        if (!diagnosis.isEnforced()) {
            node.put("why", diagnosis.why());
            var next = node.putArray("next");
            diagnosis.next().forEach(next::add);
        }
        return node;
    }

    static ObjectNode named(PolicyRef ref) {
        var node = JsonNodeFactory.instance.objectNode().put("kind", ref.kind().wireName());
        if (!ref.namespace().isEmpty()) {
            node.put("namespace", ref.namespace());
        }
        return node.put("name", ref.name());
    }

    private static void conditions(ArrayNode list, List<Condition> conditions) {
        conditions.forEach(condition -> list.add(condition(condition)));
    }

    private static ObjectNode condition(Condition condition) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("type", condition.type())
                .put("status", condition.status().wireName())
                .put("reason", condition.reason())
                .put("message", condition.message());
    }

    private static void replicas(ArrayNode list, PolicyReport report) {
        for (int replica : report.replicas()) {
            var generations = list.addObject().put("replica", replica).putArray("generations");
            report.generations()
                    .forEach(progress -> Optional.ofNullable(progress.ready().get(replica))
                            .ifPresent(condition ->
                                    generations.add(condition(condition).put("generation", progress.generation()))));
        }
    }

    private static ObjectNode revision(RevisionRow row) {
        var node = JsonNodeFactory.instance
                .objectNode()
                .put("generation", row.generation())
                .put("enabled", row.revision().isEnabled())
                .put("active", row.revision().switches().active())
                .put("mode", row.revision().mode().wireName());
        var digests = node.putArray("digests");
        row.digests().forEach(digests::add);
        row.created().ifPresent(created -> node.put("created", created.toString()));
        row.rollbackOf().ifPresent(restored -> node.put("rollbackOf", restored));
        return node;
    }
}
