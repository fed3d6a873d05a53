package io.portcullis.kwctl.command;

import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.Terminal;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.kwctl.output.Markdown;
import io.portcullis.kwctl.output.Style;
import io.portcullis.kwctl.output.Table;
import io.portcullis.kwctl.yaml.YamlText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Renders metadata as text. */
final class MetadataView {

    private static final String PREFIX = "io.kubewarden.policy.";
    private static final List<String> DETAILS = List.of("title", "description", "author", "url", "source", "license");
    private static final String USAGE = PREFIX + "usage";

    private final PolicyMetadata metadata;
    private final MetadataDocument document;
    private final Terminal terminal;
    private final StringBuilder text = new StringBuilder();

    private MetadataView(MetadataDocument document, Terminal terminal) {
        this.document = document;
        this.metadata = document.metadata();
        this.terminal = terminal;
    }

    static String of(MetadataDocument document, Terminal terminal) {
        return new MetadataView(document, terminal).render();
    }

    private String render() {
        text.append(Table.plain(details()));
        section("Rules", YamlText.of(MetadataDocument.rules(metadata)));
        if (!metadata.contextAwareResources().isEmpty()) {
            section(
                    "Context Aware",
                    "The policy requires access to the following Kubernetes resources:\n"
                            + YamlText.of(MetadataDocument.contextAwareResources(metadata))
                            + "To avoid abuses, review carefully what the policy requires access to.\n");
        }
        var usage = metadata.annotations().get(USAGE);
        if (usage != null) {
            var rule = "─".repeat(terminal.width()) + "\n";
            section("Usage", rule + Markdown.render(usage.stripTrailing(), terminal.outStyled()) + "\n" + rule);
        }
        return text.toString();
    }

    private List<List<String>> details() {
        var rest = new HashMap<>(metadata.annotations());
        rest.remove(USAGE);
        var rows = new ArrayList<List<String>>();
        rows.add(List.of(heading("Details"), ""));
        for (var name : DETAILS) {
            var value = rest.remove(PREFIX + name);
            if (value != null) {
                rows.add(row(name, value));
            }
        }
        rows.add(row("mutating", metadata.mutating()));
        rows.add(row("background audit support", metadata.backgroundAudit()));
        rows.add(row("context aware", !metadata.contextAwareResources().isEmpty()));
        rows.add(row("policy type", metadata.policyType().wireName()));
        rows.add(row("execution mode", metadata.executionMode().wireName()));
        if (metadata.executionMode() == ExecutionMode.KUBEWARDEN_WAPC) {
            rows.add(row("protocol version", protocolVersion()));
        }
        var minimum = document.json().path("minimumKubewardenVersion").asText();
        if (!minimum.isEmpty()) {
            rows.add(row("minimum kubewarden version", minimum));
        }
        rows.addAll(annotations(rest));
        return rows;
    }

    private String protocolVersion() {
        return metadata.protocolVersion()
                .map(version -> version.wireName().replace("v", ""))
                .orElseThrow(
                        () -> new CommandException(
                                "Invalid policy: protocol_version not defined. Annotate the policy again with `kwctl annotate`"));
    }

    private List<List<String>> annotations(Map<String, String> annotations) {
        if (annotations.isEmpty()) {
            return List.of();
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("", ""));
        rows.add(List.of(heading("Annotations"), ""));
        new TreeMap<>(annotations).forEach((key, value) -> rows.add(List.of(key, value.strip())));
        return rows;
    }

    private static List<String> row(String name, Object value) {
        return List.of(name + ":", value.toString().strip());
    }

    private void section(String title, String body) {
        text.append('\n').append(heading(title)).append('\n').append(body);
    }

    private String heading(String title) {
        return Style.BOLD.apply(title, terminal.outStyled());
    }
}
