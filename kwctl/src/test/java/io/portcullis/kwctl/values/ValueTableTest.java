package io.portcullis.kwctl.values;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the table with the list of all keys of Kubewarden's charts, and with the schemas of our charts. */
class ValueTableTest {

    private static final ValueTable TABLE = ValueTable.instance();
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static List<List<String>> keysOfKubewarden() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/kubewarden-values.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> Arrays.asList(line.split("\\.", -1)))
                .toList();
    }

    private static JsonNode schema(TargetChart chart) {
        var file = Checkout.current()
                .root()
                .resolve("charts")
                .resolve(chart.chartName())
                .resolve("values.schema.json");
        try {
            return MAPPER.readTree(file.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a schema defines a key, and the chart uses the value. */
    private static boolean hasPlace(JsonNode root, List<String> path) {
        var node = root;
        for (var name : path) {
            node = resolved(root, node);
            if (node.path("properties").has(name)) {
                node = node.path("properties").path(name);
                if (node.path("$ref").asText().endsWith("/otherChart")) {
                    return false;
                }
            } else if (node.has("properties")
                    && !node.path("additionalProperties").asBoolean(false)) {
                return false;
            } else {
                return !node.path("additionalProperties").isBoolean()
                        || node.path("additionalProperties").asBoolean();
            }
        }
        return true;
    }

    private static JsonNode resolved(JsonNode root, JsonNode node) {
        var reference = node.path("$ref").asText();
        return reference.isEmpty() ? node : root.at(reference.substring(1));
    }

    @Test
    void everyValueOfKubewardenHasARow() throws IOException {
        assertThat(keysOfKubewarden())
                .hasSizeGreaterThan(130)
                .doesNotHaveDuplicates()
                .allSatisfy(path ->
                        assertThat(TABLE.rule(path)).as("row for %s", path).isPresent());
    }

    @Test
    void ourChartsDefineEveryValueThatIsTakenOrMapped() throws IOException {
        var checked = new ArrayList<List<String>>();
        for (var path : keysOfKubewarden()) {
            var rule = TABLE.rule(path).orElseThrow();
            var target = switch (rule.treatment()) {
                case Treatment.Moved(var to) -> {
                    var moved = new ArrayList<>(Arrays.asList(to.split("\\.", -1)));
                    moved.addAll(path.subList(rule.path().size(), path.size()));
                    yield moved;
                }
                case Treatment.Taken _, Treatment.Converted _, Treatment.TakenIf _ -> path;
                case Treatment.Refused _ -> List.<String>of();
            };
            for (var chart : rule.charts()) {
                assertThat(hasPlace(schema(chart), target))
                        .as("%s in %s", target, chart)
                        .isTrue();
            }
            if (!target.isEmpty()) {
                checked.add(target);
            }
        }
        assertThat(checked).hasSizeGreaterThan(110);
    }

    /** A row without a chart would take values without an effect. */
    @Test
    void everyOwnRowIsAValueOfAChart() {
        assertThat(TABLE.rules())
                .filteredOn(rule -> rule.treatment() instanceof Treatment.Taken)
                .allSatisfy(rule -> rule.charts()
                        .forEach(chart -> assertThat(hasPlace(schema(chart), rule.path()))
                                .as("%s in %s", rule.path(), chart)
                                .isTrue()));
    }

    @Test
    void theSchemaCheckFindsMissingKeysAndKeysOfOtherCharts() {
        assertThat(hasPlace(schema(TargetChart.CONTROLLER), List.of("replica"))).isFalse();
        assertThat(hasPlace(schema(TargetChart.CONTROLLER), List.of("image", "digest")))
                .isFalse();
        assertThat(hasPlace(schema(TargetChart.CONTROLLER), List.of("policyServer")))
                .isFalse();
        assertThat(hasPlace(schema(TargetChart.DEFAULTS), List.of("resources", "controller")))
                .isFalse();
        assertThat(hasPlace(schema(TargetChart.DEFAULTS), List.of("policyServer", "env")))
                .isTrue();
    }

    /** A file of the single chart may be given to each of our charts. */
    @Test
    void everyChartAcceptsTheKeysOfAllCharts() throws IOException {
        for (var path : keysOfKubewarden()) {
            for (var chart : List.of(TargetChart.CONTROLLER, TargetChart.DEFAULTS)) {
                assertThat(schema(chart).path("properties").has(path.getFirst()))
                        .as("%s in %s", path.getFirst(), chart)
                        .isTrue();
            }
        }
    }
}
