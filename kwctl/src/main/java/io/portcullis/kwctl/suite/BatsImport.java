package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.CommandException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Converts the bats tests of a policy into a suite. Each {@code @test} that runs {@code kwctl run} once becomes a case.
 * Converts the assertions that a suite supports, and reports all others; never guesses.
 *
 * @param remarks tests and assertions that a suite does not support
 */
public record BatsImport(ObjectNode suite, List<String> remarks) {

    private static final Pattern TEST = Pattern.compile("^@test\\s+(['\"])(.*?)\\1\\s*\\{\\s*$", Pattern.MULTILINE);
    private static final Pattern END = Pattern.compile("^\\}", Pattern.MULTILINE);
    private static final Pattern RUN =
            Pattern.compile("^\\s*run\\s+(?:\\S*/)?kwctl\\s+run\\s+(.*)$", Pattern.MULTILINE);
    private static final Pattern STATUS =
            Pattern.compile("\\[+\\s*\"?\\$\\{?status}?\"?\\s+(-eq|-ne|=|==)\\s+(\\d+)\\s*]");
    private static final Pattern OUTPUT =
            Pattern.compile("expr\\s+\"?\\$\\{?output}?\"?\\s*:\\s*(['\"])(.*?)\\1\\s*\\)\\s*(-ne|-eq)\\s+0"
                    + "|\\$\\{?output}?\"?\\s*==?\\s*\\*?(['\"])(.*?)\\4\\*?\\s*]]");
    private static final Pattern MESSAGE = Pattern.compile("\"?message\"?:\\s*\"?([^\"]+)");
    private static final Pattern SETTINGS = Pattern.compile("Provided settings are not valid(?::\\s*(.*))?");
    private static final Pattern REGEX = Pattern.compile("[\\\\\\[\\]^$*]|\\.\\*");

    public BatsImport {
        remarks = List.copyOf(remarks);
    }

    /** @param readFile returns the text of a settings file that a test names */
    public static BatsImport of(String text, Function<String, String> readFile) {
        return new Reader(readFile).read(text.replace("\\\n", " "));
    }

    private static final class Reader {

        private final Function<String, String> readFile;
        private final List<String> remarks = new ArrayList<>();
        private final Set<String> policies = new LinkedHashSet<>();
        private final ArrayNode cases = JsonNodeFactory.instance.arrayNode();

        Reader(Function<String, String> readFile) {
            this.readFile = readFile;
        }

        BatsImport read(String text) {
            var test = TEST.matcher(text);
            while (test.find()) {
                var end = END.matcher(text);
                var body = end.find(test.end()) ? text.substring(test.end(), end.start()) : text.substring(test.end());
                readCase(test.group(2), body);
            }
            if (cases.isEmpty()) {
                throw new CommandException("no test that calls `kwctl run` was found");
            }
            if (policies.size() > 1) {
                throw new CommandException(
                        "the tests are about several policies, a suite is about one: " + String.join(", ", policies));
            }
            var suite = JsonNodeFactory.instance.objectNode();
            suite.put("policy", policies.iterator().next());
            suite.set("cases", cases);
            return new BatsImport(suite, remarks);
        }

        private void readCase(String name, String body) {
            var run = RUN.matcher(body);
            var lines = new ArrayList<String>();
            while (run.find()) {
                lines.add(run.group(1));
            }
            if (lines.size() != 1) {
                remark(name, lines.isEmpty() ? "does not call `kwctl run`" : "calls `kwctl run` more than once");
                return;
            }
            var words = ShellWords.split(lines.getFirst());
            if (words.stream().anyMatch(word -> word.contains("$") || word.equals("|"))) {
                remark(name, "its command line uses variables or pipes");
                return;
            }
            var test = JsonNodeFactory.instance.objectNode().put("name", name);
            readArguments(name, words, test);
            var expected = expectation(name, body);
            if (expected.isEmpty()) {
                remark(name, "demands nothing that a suite can say");
            } else if (test.has("request")) {
                test.set("expect", expected);
                cases.add(test);
            } else {
                remark(name, "names no request");
            }
        }

        private void readArguments(String name, List<String> words, ObjectNode test) {
            for (var i = 0; i < words.size(); i++) {
                var word = words.get(i);
                var equals = word.startsWith("--") ? word.indexOf('=') : -1;
                var option = equals < 0 ? word : word.substring(0, equals);
                var takesValue = Set.of(
                                "-r",
                                "--request-path",
                                "-s",
                                "--settings-path",
                                "--settings-json",
                                "-e",
                                "--execution-mode",
                                "--replay-host-capabilities-interactions")
                        .contains(option);
                var value = equals >= 0 ? word.substring(equals + 1) : "";
                if (takesValue && equals < 0 && i + 1 < words.size()) {
                    value = words.get(++i);
                }
                switch (option) {
                    case "-r", "--request-path" -> test.put("request", value);
                    case "-s", "--settings-path" -> test.set("settings", settings(value, readFile.apply(value)));
                    case "--settings-json" -> test.set("settings", settings("--settings-json", value));
                    case "--replay-host-capabilities-interactions" -> test.put("session", value);
                    case "--allow-context-aware" -> {
                        // Not needed: suites grant the capabilities that the metadata lists.
                    }
                    default -> {
                        if (option.startsWith("-")) {
                            remark(name, option + " is left out");
                        } else {
                            policies.add(word);
                        }
                    }
                }
            }
        }

        private static JsonNode settings(String source, String text) {
            try {
                return YamlDocuments.parse(text);
            } catch (YamlException e) {
                throw new CommandException("cannot parse the settings in " + source, e);
            }
        }

        private ObjectNode expectation(String name, String body) {
            var expected = JsonNodeFactory.instance.objectNode();
            var output = OUTPUT.matcher(body);
            while (output.find()) {
                var pattern = output.group(2) != null ? output.group(2) : output.group(5);
                expect(name, pattern, !"-eq".equals(output.group(3)), expected);
            }
            var status = STATUS.matcher(body);
            var fails = status.find()
                    && status.group(1).equals("-ne") == status.group(2).equals("0");
            if (fails && !expected.has("settingsError")) {
                expected.removeAll();
                expected.put("settingsError", "");
            }
            return expected;
        }

        private void expect(String name, String pattern, boolean present, ObjectNode expected) {
            var plain = pattern.replace("\\\"", "\"").replaceAll("^\\.\\*|\\.\\*$", "");
            var settings = SETTINGS.matcher(plain);
            var message = MESSAGE.matcher(plain);
            if (present && settings.find()) {
                expected.put("settingsError", settings.group(1) == null ? "" : settings.group(1));
            } else if (present && plain.matches("(?s).*allowed.*(true|false).*")) {
                expected.put("allowed", plain.contains("true"));
            } else if (!present && plain.matches("(?i).*patch.*")) {
                expected.putArray("patch");
            } else if (present
                    && message.find()
                    && !REGEX.matcher(message.group(1)).find()) {
                expected.put("message", message.group(1));
            } else if (present
                    && !plain.matches("(?i).*patch.*")
                    && !REGEX.matcher(plain).find()) {
                expected.put("message", plain);
            } else {
                remark(name, "cannot take over the demand " + pattern);
            }
        }

        private void remark(String name, String what) {
            remarks.add("\"" + name + "\": " + what);
        }
    }
}
