package io.portcullis.kwctl.cluster;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.core.status.RolloutProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders the report on one policy as text. */
final class StatusText {

    private static final Pattern DIGEST = Pattern.compile("(?:sha256:)?([0-9a-f]{12})[0-9a-f]{52}");

    private StatusText() {}

    static String of(PolicyReport report) {
        return String.join(
                "\n",
                Stream.of(
                                headline(report),
                                conditions(report),
                                replicas(report),
                                revisions(report),
                                webhook(report),
                                servers(report),
                                verdict(report),
                                unverified(report))
                        .filter(section -> !section.isEmpty())
                        .toList());
    }

    private static String headline(PolicyReport report) {
        var status = report.status();
        var specMode = PolicyReport.specMode(report.policy());
        return line("Policy", report.policy().ref().display())
                + line("Status", status.policyStatus().wireName())
                + line("Phase", status.phase().wireName())
                + line("Mode", status.mode().equals(specMode) ? specMode : status.mode() + ", wanted: " + specMode)
                + line("Generation", generation(report.wanted(), status))
                + (status.activePolicyServer() == null ? "" : line("Served by", status.activePolicyServer()));
    }

    private static String generation(long wanted, PolicyStatus status) {
        if (status.activeGeneration() == wanted) {
            return wanted + ", in force";
        }
        return wanted
                + (status.activeGeneration() == 0 ? ", none in force" : ", in force: " + status.activeGeneration());
    }

    private static String line(String label, String value) {
        return "%-12s%s%n".formatted(label + ":", PlainText.of(value)).replace(System.lineSeparator(), "\n");
    }

    private static String conditions(PolicyReport report) {
        return report.headlines().isEmpty()
                ? ""
                : Columns.of(
                        List.of("CONDITION", "STATUS", "REASON", "MESSAGE"),
                        report.headlines().stream()
                                .map(condition -> List.of(
                                        condition.type(),
                                        condition.status().wireName(),
                                        condition.reason(),
                                        condition.message()))
                                .toList());
    }

    /** Renders one row per replica and one column per generation, then the failures. */
    private static String replicas(PolicyReport report) {
        if (report.replicas().isEmpty()) {
            return "No replica has reported on it.\n";
        }
        var heading = new ArrayList<>(List.of("REPLICA"));
        report.generations().forEach(progress -> heading.add("GENERATION " + progress.generation()));
        var rows = report.replicas().stream()
                .map(replica -> row(replica, report.generations()))
                .toList();
        var failures = new StringBuilder();
        report.generations()
                .forEach(progress -> progress.ready().values().stream()
                        .filter(Condition::isFalse)
                        .forEach(condition -> failures.append("replica %d, generation %d: %s\n"
                                .formatted(
                                        condition.replica(),
                                        progress.generation(),
                                        PlainText.of(condition.message())))));
        return Columns.of(heading, rows) + failures;
    }

    private static List<String> row(int replica, List<RolloutProgress> generations) {
        var row = new ArrayList<>(List.of(Integer.toString(replica)));
        for (RolloutProgress progress : generations) {
            var condition = progress.ready().get(replica);
            row.add(condition == null ? "" : condition.status().wireName() + " " + condition.reason());
        }
        return row;
    }

    private static String revisions(PolicyReport report) {
        return switch (report.revisions()) {
            case Reading.Hidden<List<RevisionRow>>(var why) ->
                "Revisions are not shown: " + why
                        + ". `kwctl history` lists what the status of the policy says of them.\n";
            case Reading.Seen<List<RevisionRow>>(var rows) -> rows.isEmpty() ? "" : revisions(rows, report.now());
        };
    }

    static String revisions(List<RevisionRow> rows, Instant now) {
        return Columns.of(
                List.of("REVISION", "ENABLED", "ACTIVE", "MODE", "DIGEST", "AGE", "ROLLBACK OF"),
                rows.stream()
                        .map(row -> List.of(
                                Long.toString(row.generation()),
                                yesNo(row.revision().isEnabled()),
                                yesNo(row.revision().switches().active()),
                                row.revision().mode().wireName(),
                                shortened(row.digests()),
                                Age.of(row.created(), now),
                                row.rollbackOf().isPresent()
                                        ? Long.toString(row.rollbackOf().getAsLong())
                                        : ""))
                        .toList());
    }

    static String shortened(List<String> digests) {
        return DIGEST.matcher(String.join(" ", digests)).replaceAll("$1");
    }

    static String yesNo(boolean value) {
        return value ? "yes" : "no";
    }

    private static String webhook(PolicyReport report) {
        return switch (report.webhook()) {
            case Reading.Hidden<?>(var why) -> "The webhook is not shown: " + why + ".\n";
            case Reading.Seen<Optional<RegisteredWebhook>>(var found) ->
                found.map(StatusText::webhook).orElse("No webhook is registered.\n");
        };
    }

    private static String webhook(RegisteredWebhook webhook) {
        return Columns.of(
                List.of("WEBHOOK", "NAME", "GENERATION", "POLICY SERVER"),
                List.of(List.of(
                        webhook.kind(),
                        webhook.name(),
                        webhook.generation() == 0 ? "" : Long.toString(webhook.generation()),
                        webhook.policyServer())));
    }

    private static String servers(PolicyReport report) {
        return switch (report.servers()) {
            case Reading.Hidden<List<ReplicaReport>>(var why) -> "The policy server is not shown: " + why + ".\n";
            case Reading.Seen<List<ReplicaReport>>(var replicas) -> replicas.isEmpty() ? "" : servers(replicas);
        };
    }

    /** Renders one row per replica with its memory, then its quarantined modules. */
    private static String servers(List<ReplicaReport> replicas) {
        var memory = Columns.of(
                List.of("SERVER REPLICA", "MEMORY LIMIT", "USED OF EACH PART"),
                replicas.stream()
                        .map(replica -> List.of(
                                Integer.toString(replica.replica()),
                                PlainText.of(replica.memoryLimit()),
                                replica.memory().stream()
                                        .map(part -> part.name() + " " + part.used() + "/" + part.limit())
                                        .map(PlainText::of)
                                        .collect(Collectors.joining(", "))))
                        .toList());
        var modules = new StringBuilder();
        replicas.forEach(replica -> replica.quarantined()
                .forEach(module -> modules.append("replica %d quarantines %s until %s: %s\n"
                        .formatted(
                                replica.replica(),
                                PlainText.of(module.digest()),
                                PlainText.of(module.until()),
                                PlainText.of(module.reason())))));
        if (!modules.isEmpty()) {
            modules.append("To try a module again at once: kubectl annotate --overwrite policyserver NAME "
                    + PolicyServerNames.RELEASE_QUARANTINE_ANNOTATION + "=DIGEST\n");
        }
        return memory + modules;
    }

    /** Renders the generations whose signatures the current verification config rejects. */
    private static String unverified(PolicyReport report) {
        return report.generations().stream()
                .flatMap(progress -> progress.verified().stream())
                .filter(Condition::isFalse)
                .map(condition -> "Generation %d: %s%nWhat to do next:%n  - %s%n"
                        .formatted(
                                condition.generation(),
                                PlainText.of(condition.message()),
                                Advice.on(Reason.SIGNATURE_NOT_ACCEPTED))
                        .replace(System.lineSeparator(), "\n"))
                .collect(Collectors.joining());
    }

    private static String verdict(PolicyReport report) {
        var diagnosis = Diagnosis.of(report.policy());
        if (diagnosis.isEnforced()) {
            return report.status().mode().equals("monitor")
                    ? "It is enforced: every replica serves it. It only monitors, so nothing is rejected.\n"
                    : "It is enforced: every replica serves it.\n";
        }
        var text = new StringBuilder("Why it is not enforced: ")
                .append(PlainText.of(diagnosis.why()))
                .append("\nWhat to do next:\n");
        diagnosis
                .next()
                .forEach(step -> text.append("  - ").append(PlainText.of(step)).append('\n'));
        return text.toString();
    }
}
