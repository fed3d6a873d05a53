package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.output.Style;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The format of a test report. */
public enum ReportFormat {
    /** Text for users. */
    TEXT,
    /** Test Anything Protocol, version 13. */
    TAP,
    /** JUnit XML for CI servers. */
    JUNIT,
    JSON;

    public static List<String> names() {
        return Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    public static ReportFormat of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    public String render(List<CaseResult> results, boolean styled) {
        return switch (this) {
            case TEXT -> text(results, styled);
            case TAP -> tap(results);
            case JUNIT -> junit(results);
            case JSON -> json(results);
        };
    }

    private static long failures(List<CaseResult> results) {
        return results.stream().filter(result -> !result.passed()).count();
    }

    private static String text(List<CaseResult> results, boolean styled) {
        var text = new StringBuilder();
        for (var result : results) {
            var mark = result.passed() ? Style.GREEN.apply("PASS", styled) : Style.RED.apply("FAIL", styled);
            text.append(mark)
                    .append("  ")
                    .append(result.suite())
                    .append(": ")
                    .append(result.name())
                    .append('\n');
            result.mismatches()
                    .forEach(line -> text.append("      ").append(line).append('\n'));
        }
        var failed = failures(results);
        return text.append('\n')
                .append(results.size() - failed)
                .append(" passed, ")
                .append(failed)
                .append(" failed\n")
                .toString();
    }

    private static String tap(List<CaseResult> results) {
        var text =
                new StringBuilder("TAP version 13\n1..").append(results.size()).append('\n');
        for (var i = 0; i < results.size(); i++) {
            var result = results.get(i);
            text.append(result.passed() ? "ok " : "not ok ").append(i + 1).append(" - ");
            text.append(result.suite())
                    .append(": ")
                    .append(result.name().replace("#", "\\#"))
                    .append('\n');
            result.mismatches()
                    .forEach(line ->
                            text.append("# ").append(line.replace("\n", "\n# ")).append('\n'));
        }
        return text.toString();
    }

    private static String junit(List<CaseResult> results) {
        var suites = results.stream()
                .collect(Collectors.groupingBy(CaseResult::suite, LinkedHashMap::new, Collectors.toList()));
        var text = new StringBuilder(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%d\" failures=\"%d\">\n"
                        .formatted(results.size(), failures(results)));
        suites.forEach((name, cases) -> {
            text.append("  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n"
                    .formatted(escaped(name), cases.size(), failures(cases)));
            cases.forEach(result -> text.append(junit(result)));
            text.append("  </testsuite>\n");
        });
        return text.append("</testsuites>\n").toString();
    }

    private static String junit(CaseResult result) {
        var seconds = String.format(Locale.ROOT, "%.3f", result.duration().toNanos() / 1e9);
        var head = "    <testcase classname=\"%s\" name=\"%s\" time=\"%s\""
                .formatted(escaped(result.suite()), escaped(result.name()), seconds);
        return result.passed()
                ? head + "/>\n"
                : head
                        + ">\n      <failure message=\"%s\"/>\n    </testcase>\n"
                                .formatted(escaped(String.join("; ", result.mismatches())));
    }

    private static String escaped(String text) {
        var escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\n' -> escaped.append("&#10;");
                case '\t' -> escaped.append("&#9;");
                default -> escaped.appendCodePoint(c < ' ' ? 0xfffd : c);
            }
        });
        return escaped.toString();
    }

    private static String json(List<CaseResult> results) {
        var root = JsonNodeFactory.instance.objectNode();
        root.put("passed", results.size() - failures(results)).put("failed", failures(results));
        var list = root.putArray("cases");
        results.forEach(result -> {
            var node = list.addObject().put("suite", result.suite()).put("name", result.name());
            node.put("passed", result.passed());
            result.mismatches().forEach(node.putArray("mismatches")::add);
        });
        return OutputFormat.prettyJson(root);
    }
}
