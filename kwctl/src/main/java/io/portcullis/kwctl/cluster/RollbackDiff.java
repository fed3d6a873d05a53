package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.kwctl.yaml.YamlText;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Renders what a rollback would change. Compares the whole spec and the digests of the modules if the user may read the
 * revision; else the mode and the digests, which the status of the policy has.
 */
final class RollbackDiff {

    private static final JsonMapper MAPPER = new JsonMapper();

    /** Characters that could control the terminal or reverse the direction of text. YAML escapes only a part of them. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]");

    private RollbackDiff() {}

    /** @param target the generation to restore */
    static String of(Policy policy, long target, List<RevisionSummary> kept, Reading<List<PolicyRevision>> stored) {
        var generation = Diagnosis.generation(policy);
        var before = JsonNodeFactory.instance.objectNode();
        var after = JsonNodeFactory.instance.objectNode();
        var note = new StringBuilder();
        switch (stored.map(revisions -> content(revisions, target))) {
            case Reading.Seen<Optional<ObjectNode>>(var content)
            when content.isPresent() -> {
                before.set("spec", policy.getSpec());
                after.set("spec", Rollback.restoredSpec(policy.getSpec(), content.get()));
            }
            case Reading.Seen<Optional<ObjectNode>> _ ->
                compareSummaries(before, after, policy, target, kept, note, "its revision was not found");
            case Reading.Hidden<Optional<ObjectNode>>(var why) ->
                compareSummaries(before, after, policy, target, kept, note, why);
        }
        modules(before, generation, kept);
        modules(after, target, kept);
        var heading = "--- %s, generation %d%n+++ %s, content of generation %d%n"
                .formatted(policy.ref().display(), generation, policy.ref().display(), target)
                .replace(System.lineSeparator(), "\n");
        var lines = LineDiff.of(yaml(before), yaml(after));
        return lines.stream().allMatch(line -> line.startsWith("@@") || line.startsWith(" "))
                ? "Nothing differs between generation " + generation + " and generation " + target + ".\n" + note
                : heading + printable(lines) + note;
    }

    /** Replaces the characters only after the comparison, because they may be the difference. */
    private static String printable(List<String> lines) {
        return lines.stream()
                .map(line -> UNPRINTABLE.matcher(line).replaceAll(" ") + "\n")
                .collect(Collectors.joining());
    }

    private static void compareSummaries(
            ObjectNode before,
            ObjectNode after,
            Policy policy,
            long target,
            List<RevisionSummary> kept,
            StringBuilder note,
            String why) {
        before.put("mode", PolicyReport.specMode(policy));
        summary(kept, target).ifPresent(revision -> after.put("mode", revision.mode()));
        note.append("Settings, rules and all other fields are not compared: ")
                .append(why)
                .append(".\n");
    }

    private static void modules(ObjectNode document, long generation, List<RevisionSummary> kept) {
        var digests = summary(kept, generation).map(HistoryText::digests).orElse(List.of());
        if (!digests.isEmpty()) {
            var list = document.putArray("modules");
            digests.forEach(list::add);
        }
    }

    private static Optional<RevisionSummary> summary(List<RevisionSummary> kept, long generation) {
        return kept.stream()
                .filter(revision -> revision.generation() == generation)
                .findFirst();
    }

    private static Optional<ObjectNode> content(List<PolicyRevision> revisions, long target) {
        return revisions.stream()
                .map(PolicyRevision::getSpec)
                .filter(revision -> revision.policyGeneration() == target)
                .findFirst()
                .map(revision -> revision.policySpec());
    }

    /** Renders the document with sorted keys. */
    private static List<String> yaml(JsonNode document) {
        try {
            return YamlText.of(MAPPER.readTree(CanonicalJson.text(document)))
                    .lines()
                    .toList();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("canonical text is always JSON", e);
        }
    }
}
