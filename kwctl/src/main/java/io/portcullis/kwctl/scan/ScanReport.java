package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.cli.Version;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.output.Style;
import io.portcullis.kwctl.scan.Finding.Verdict;
import io.portcullis.kwctl.suite.CaseResult;
import io.portcullis.kwctl.suite.ReportFormat;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The format of a scan report. */
public enum ScanReport {
    /** Text for users. */
    TEXT,
    JSON,
    /** JUnit XML for CI servers. */
    JUNIT,
    /** SARIF for code review tools, which show findings next to the lines. */
    SARIF;

    public static List<String> names() {
        return Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    public static ScanReport of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** @param everything whether to include objects that no policy rejects, not even in monitor mode */
    public String render(List<Finding> findings, boolean everything, boolean styled) {
        var shown = findings.stream()
                .filter(finding -> everything || finding.verdict().isNotable())
                .toList();
        return switch (this) {
            case TEXT -> text(findings, shown, styled);
            case JSON -> json(findings, shown);
            case JUNIT -> ReportFormat.JUNIT.render(asCases(findings), false);
            case SARIF -> sarif(shown);
        };
    }

    private static String text(List<Finding> findings, List<Finding> shown, boolean styled) {
        var text = new StringBuilder();
        for (var finding : shown) {
            text.append(mark(finding.verdict(), styled))
                    .append("  ")
                    .append(finding.object().place())
                    .append(' ')
                    .append(finding.object().title())
                    .append(": ")
                    .append(finding.policy())
                    .append(finding.message().isEmpty() ? "" : ": " + finding.message())
                    .append('\n');
        }
        return text.append(shown.isEmpty() ? "" : "\n")
                .append("%d rejected, %d only monitored, %d mutated, %d allowed, %d not asked\n"
                        .formatted(Arrays.stream(Verdict.values())
                                .map(verdict -> count(findings, verdict))
                                .toArray()))
                .toString();
    }

    private static String mark(Verdict verdict, boolean styled) {
        var style = switch (verdict) {
            case REJECTED -> Style.RED;
            case MONITORED -> Style.YELLOW;
            case MUTATED -> Style.CYAN;
            case ALLOWED -> Style.GREEN;
            case SKIPPED -> Style.DIM;
        };
        return style.apply(verdict.name(), styled);
    }

    private static long count(List<Finding> findings, Verdict verdict) {
        return findings.stream().filter(finding -> finding.verdict() == verdict).count();
    }

    private static String json(List<Finding> findings, List<Finding> shown) {
        var root = JsonNodeFactory.instance.objectNode();
        for (var verdict : Verdict.values()) {
            root.put(verdict.name().toLowerCase(Locale.ROOT), count(findings, verdict));
        }
        var list = root.putArray("findings");
        shown.forEach(finding -> {
            var node = list.addObject();
            node.put("file", finding.object().file())
                    .put("line", finding.object().line());
            node.put("object", finding.object().title()).put("policy", finding.policy());
            node.put("verdict", finding.verdict().name().toLowerCase(Locale.ROOT));
            node.put("message", finding.message());
        });
        return OutputFormat.prettyJson(root);
    }

    /** Converts findings to test cases. A rejection is a failed case. */
    private static List<CaseResult> asCases(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.verdict() != Verdict.SKIPPED)
                .map(finding -> new CaseResult(
                        finding.object().file(),
                        finding.object().title() + ": " + finding.policy(),
                        finding.verdict() == Verdict.REJECTED ? List.of("rejected: " + finding.message()) : List.of(),
                        Duration.ZERO))
                .toList();
    }

    private static String sarif(List<Finding> shown) {
        var root = JsonNodeFactory.instance.objectNode();
        root.put("$schema", "https://json.schemastore.org/sarif-2.1.0.json").put("version", "2.1.0");
        var run = root.putArray("runs").addObject();
        var driver = run.putObject("tool").putObject("driver");
        driver.put("name", "kwctl").put("version", Version.NUMBER);
        var rules = driver.putArray("rules");
        shown.stream()
                .map(Finding::policy)
                .distinct()
                .forEach(policy -> rules.addObject().put("id", policy));
        var results = run.putArray("results");
        shown.forEach(finding -> result(finding, results.addObject()));
        return OutputFormat.prettyJson(root);
    }

    private static void result(Finding finding, ObjectNode result) {
        result.put("ruleId", finding.policy()).put("level", level(finding.verdict()));
        result.putObject("message")
                .put(
                        "text",
                        finding.object().title() + " "
                                + finding.verdict().name().toLowerCase(Locale.ROOT) + ": " + finding.message());
        var place = result.putArray("locations").addObject().putObject("physicalLocation");
        place.putObject("artifactLocation").put("uri", finding.object().file());
        place.putObject("region").put("startLine", finding.object().line());
    }

    private static String level(Verdict verdict) {
        return switch (verdict) {
            case REJECTED -> "error";
            case MONITORED -> "warning";
            case MUTATED -> "note";
            case ALLOWED, SKIPPED -> "none";
        };
    }
}
