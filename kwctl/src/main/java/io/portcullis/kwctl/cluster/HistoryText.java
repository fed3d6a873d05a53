package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import java.time.Instant;
import java.util.List;

/** Renders the kept generations of a policy as a table or as JSON. */
final class HistoryText {

    private HistoryText() {}

    /** @param active the generation in the webhook; 0: there is no webhook */
    static String table(List<RevisionSummary> revisions, long active, Instant now) {
        return Columns.of(
                List.of("GENERATION", "AGE", "MODE", "DIGEST", "ACTIVE", "WAS ENFORCED", "RESTORABLE", "ROLLBACK OF"),
                revisions.stream()
                        .map(revision -> List.of(
                                Long.toString(revision.generation()),
                                Age.of(RevisionRow.instant(revision.created()), now),
                                revision.mode(),
                                StatusText.shortened(digests(revision)),
                                StatusText.yesNo(revision.generation() == active),
                                StatusText.yesNo(revision.wasEnforced()),
                                StatusText.yesNo(revision.restorable()),
                                revision.rollbackOf() == null
                                        ? ""
                                        : revision.rollbackOf().toString()))
                        .toList());
    }

    /** Returns the digests; for groups, with the member name as prefix. */
    static List<String> digests(RevisionSummary revision) {
        return revision.modules().stream()
                .map(module -> module.member() == null ? module.digest() : module.member() + "=" + module.digest())
                .toList();
    }

    static ObjectNode document(Policy policy, List<RevisionSummary> revisions) {
        var active = PolicyReport.status(policy).activeGeneration();
        var document = StatusDocument.named(policy.ref())
                .put("generation", Diagnosis.generation(policy))
                .put("activeGeneration", active);
        var list = document.putArray("revisions");
        revisions.forEach(revision -> entry(list.addObject(), revision, active));
        return document;
    }

    private static void entry(ObjectNode node, RevisionSummary revision, long active) {
        node.put("generation", revision.generation());
        if (revision.created() != null) {
            node.put("created", revision.created());
        }
        node.put("mode", revision.mode());
        var modules = node.putArray("modules");
        revision.modules().forEach(module -> {
            var entry = modules.addObject();
            if (module.member() != null) {
                entry.put("member", module.member());
            }
            entry.put("digest", module.digest());
        });
        node.put("active", revision.generation() == active)
                .put("wasEnforced", revision.wasEnforced())
                .put("restorable", revision.restorable());
        if (revision.rollbackOf() != null) {
            node.put("rollbackOf", revision.rollbackOf());
        }
    }

    /** Returns what to do next: the newest generation that can be restored. */
    static String advice(Policy policy, List<RevisionSummary> revisions) {
        var restorable = revisions.stream()
                .filter(RevisionSummary::restorable)
                .map(revision -> Long.toString(revision.generation()))
                .toList();
        return restorable.isEmpty()
                ? "No earlier generation can be restored.\n"
                : "`kwctl rollback %s --to %s --diff` shows what a rollback would change.\n"
                        .formatted(PolicyName.unambiguous(policy.ref()), restorable.getFirst());
    }
}
