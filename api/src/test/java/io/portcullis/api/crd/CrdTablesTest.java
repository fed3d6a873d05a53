package io.portcullis.api.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.testkit.golden.Golden;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares each CRD, rendered as a table, with a golden file: fields, types, defaults, limits, columns, versions. A change of the YAML appears here in a few lines.
 */
class CrdTablesTest {

    private static final Golden GOLDEN = new Golden(Path.of("src/test/resources/golden/crds"));

    static Stream<String> kinds() {
        return Crds.all().stream().map(Crds::kind);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void matchesItsTable(String kind) {
        var crd = Crds.of(kind);
        var lines = new ArrayList<String>();
        lines.add("%s %s %s %s"
                .formatted(
                        crd.at("/spec/group").asText(),
                        crd.at("/spec/names/plural").asText(),
                        crd.at("/spec/names/shortNames/0").asText(),
                        crd.at("/spec/scope").asText()));
        for (JsonNode version : crd.at("/spec/versions")) {
            lines.add("");
            lines.add("version " + version.path("name").asText()
                    + (version.path("storage").asBoolean() ? " stored" : "")
                    + (version.path("deprecated").asBoolean()
                            ? " deprecated: "
                                    + version.path("deprecationWarning").asText()
                            : ""));
            lines.add("subresources " + version.path("subresources"));
            for (JsonNode column : version.path("additionalPrinterColumns")) {
                lines.add("column %s (%s) %s%s"
                        .formatted(
                                column.path("name").asText(),
                                column.path("type").asText(),
                                column.path("jsonPath").asText(),
                                column.has("priority") ? " wide" : ""));
            }
            fields("spec", Crds.schema(version).at("/properties/spec"), lines);
            fields("status", Crds.schema(version).at("/properties/status"), lines);
        }
        GOLDEN.matches(kind + ".txt", String.join("\n", lines) + "\n");
    }

    private static void fields(String path, JsonNode schema, List<String> lines) {
        lines.add("%-60s %s".formatted(path, describe(schema)).stripTrailing());
        var required = new ArrayList<String>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        schema.path("properties")
                .properties()
                .forEach(entry -> fields(
                        path + "." + entry.getKey() + (required.contains(entry.getKey()) ? "!" : ""),
                        entry.getValue(),
                        lines));
        var items = schema.path("items");
        if (items.isObject() && items.has("properties")) {
            fields(path + "[]", items, lines);
        }
        if (schema.path("additionalProperties").has("properties")) {
            fields(path + "{}", schema.path("additionalProperties"), lines);
        }
    }

    private static String describe(JsonNode schema) {
        var parts = new ArrayList<String>();
        parts.add(schema.path("x-kubernetes-int-or-string").asBoolean() ? "int-or-string" : type(schema));
        for (String key : List.of("default", "enum", "minimum", "maximum", "maxItems", "nullable")) {
            if (schema.has(key)) {
                parts.add(key + "=" + schema.path(key));
            }
        }
        if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            parts.add("free-form");
        }
        if (schema.has("x-kubernetes-list-map-keys")) {
            parts.add("map by " + schema.path("x-kubernetes-list-map-keys"));
        }
        if (schema.has("x-kubernetes-validations")) {
            schema.path("x-kubernetes-validations")
                    .forEach(rule -> parts.add("(" + rule.path("message").asText() + ")"));
        }
        return String.join(" ", parts);
    }

    private static String type(JsonNode schema) {
        return switch (schema.path("type").asText()) {
            case "array" -> "list of " + schema.at("/items/type").asText("?");
            case "integer" -> schema.path("format").asText();
            default -> schema.path("type").asText();
        };
    }
}
