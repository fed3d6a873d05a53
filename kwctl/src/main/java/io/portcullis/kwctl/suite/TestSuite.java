package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.process.args.SimilarWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A file of test cases for one policy. Paths in it are relative to the file's directory.
 *
 * @param policy a path, a URI, or a YAML file with one policy or group
 */
public record TestSuite(Path file, String policy, List<Case> cases) {

    private static final Set<String> SUITE_KEYS = Set.of("policy", "settings", "cases");
    private static final Set<String> CASE_KEYS =
            Set.of("name", "request", "object", "settings", "session", "namespaceLabels", "expect");
    private static final Set<String> EXPECT_KEYS =
            Set.of("allowed", "message", "code", "patch", "settingsError", "skipped");

    public TestSuite {
        cases = List.copyOf(cases);
    }

    /**
     * A test case.
     *
     * @param settings absent for a policy of a YAML file, which contains its settings
     */
    public record Case(
            String name,
            Subject subject,
            Optional<ObjectNode> settings,
            Optional<Path> session,
            Map<String, String> namespaceLabels,
            Expectation expectation) {}

    /** The input of the evaluation. */
    public sealed interface Subject {
        /** A request or review in a file. */
        record RequestFile(Path file) implements Subject {}

        /** A request or review inline in the suite. */
        record InlineRequest(JsonNode json) implements Subject {}

        /** The creation of an object from a file. */
        record ObjectFile(Path file) implements Subject {}

        /** The creation of an object that is inline in the suite. */
        record InlineObject(JsonNode json) implements Subject {}
    }

    public String name() {
        return String.valueOf(file.getFileName());
    }

    /** @throws CommandException with the names of the file and the case */
    public static TestSuite parse(Path file, String text) {
        try {
            var root = object(YamlDocuments.parse(text), "the file");
            rejectUnknown(root, SUITE_KEYS, "the file");
            if (!root.path("policy").isTextual()) {
                throw new CommandException("'policy' is missing");
            }
            var cases = new ArrayList<Case>();
            for (var node : root.path("cases")) {
                cases.add(testCase(file, root, object(node, "case " + (cases.size() + 1)), cases.size() + 1));
            }
            if (cases.isEmpty()) {
                throw new CommandException("'cases' is missing or empty");
            }
            return new TestSuite(file, root.get("policy").asText(), cases);
        } catch (YamlException | CommandException e) {
            throw new CommandException("cannot read test suite " + file, e);
        }
    }

    private static Case testCase(Path file, ObjectNode suite, ObjectNode node, int number) {
        var name = node.path("name").asText("case " + number);
        rejectUnknown(node, CASE_KEYS, name);
        var settings = node.hasNonNull("settings") ? node.get("settings") : suite.path("settings");
        var labels = new TreeMap<String, String>();
        node.path("namespaceLabels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return new Case(
                name,
                subject(file, node, name),
                settings.isMissingNode() || settings.isNull()
                        ? Optional.empty()
                        : Optional.of(object(settings, name + ": settings")),
                Optional.of(node.path("session").asText())
                        .filter(path -> !path.isEmpty())
                        .map(file::resolveSibling),
                labels,
                expectation(object(node.path("expect"), name + ": expect"), name));
    }

    private static Subject subject(Path file, ObjectNode node, String name) {
        if (node.has("request") == node.has("object")) {
            throw new CommandException(name + ": give either 'request' or 'object'");
        }
        if (node.has("request")) {
            var request = node.get("request");
            return request.isTextual()
                    ? new Subject.RequestFile(file.resolveSibling(request.asText()))
                    : new Subject.InlineRequest(request);
        }
        var object = node.get("object");
        return object.isTextual()
                ? new Subject.ObjectFile(file.resolveSibling(object.asText()))
                : new Subject.InlineObject(object);
    }

    private static Expectation expectation(ObjectNode node, String name) {
        rejectUnknown(node, EXPECT_KEYS, name + ": expect");
        if (node.isEmpty()) {
            throw new CommandException(name + ": 'expect' demands nothing");
        }
        return new Expectation(
                present(node, "allowed").map(JsonNode::asBoolean),
                present(node, "message").map(JsonNode::asText),
                present(node, "code").map(JsonNode::asInt),
                present(node, "patch"),
                present(node, "settingsError").map(JsonNode::asText),
                node.path("skipped").asBoolean(false));
    }

    private static Optional<JsonNode> present(ObjectNode node, String key) {
        return node.hasNonNull(key) ? Optional.of(node.get(key)) : Optional.empty();
    }

    private static ObjectNode object(JsonNode node, String what) {
        if (node.isMissingNode()) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (!(node instanceof ObjectNode object)) {
            throw new CommandException(what + ": a mapping is expected");
        }
        return object;
    }

    private static void rejectUnknown(ObjectNode node, Set<String> known, String what) {
        node.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                throw new CommandException(what + ": unknown key '" + key + "'"
                        + SimilarWords.to(key, known)
                                .map(name -> ", did you mean '" + name + "'?")
                                .orElse(""));
            }
        });
    }
}
