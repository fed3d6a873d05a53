package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example alerts and the dashboard use only metrics that our programs export. */
class ChartMetricsTest {

    private static final Path FILES = Path.of("../charts/portcullis/files");
    private static final Pattern NAME = Pattern.compile("\\bkubewarden_\\w+");
    private static final Pattern LITERAL = Pattern.compile("\"(kubewarden_\\w+)\"");
    /** The suffixes that Prometheus names of counters and histograms have. */
    private static final Set<String> SUFFIXES = Set.of("", "_total", "_seconds_bucket", "_milliseconds_bucket");

    /** Returns the metric names, which are string literals in the sources of the programs. */
    private static Set<String> exported() throws IOException {
        var names = new TreeSet<String>();
        for (String module : new String[] {"controller", "policy-server", "process"}) {
            try (var files = Files.walk(Path.of("..", module, "src/main/java"))) {
                for (Path file :
                        files.filter(name -> name.toString().endsWith(".java")).toList()) {
                    LITERAL.matcher(Files.readString(file))
                            .results()
                            .map(found -> found.group(1))
                            .forEach(names::add);
                }
            }
        }
        return names.stream()
                .flatMap(name -> SUFFIXES.stream().map(suffix -> name + suffix))
                .collect(Collectors.toSet());
    }

    private static Set<String> used(String text) {
        return NAME.matcher(text).results().map(found -> found.group()).collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts/policies.yaml", "dashboards/policies.json"})
    void usesOnlyExistingMetrics(String file) throws IOException {
        var used = used(Files.readString(FILES.resolve(file)));

        assertThat(used).isNotEmpty();
        assertThat(exported()).containsAll(used);
    }

    @Test
    void everyAlertHasASummaryAndADescription() throws IOException {
        JsonNode alerts =
                Serialization.unmarshal(Files.newInputStream(FILES.resolve("alerts/policies.yaml")), JsonNode.class);

        assertThat(alerts.path("groups").findValues("alert")).hasSizeGreaterThan(4);
        for (JsonNode rule : alerts.path("groups").path(0).path("rules")) {
            assertThat(rule.path("expr").asText()).as(rule.toString()).contains("kubewarden_");
            assertThat(rule.path("labels").path("severity").asText()).isIn("warning", "critical");
            assertThat(Stream.of("summary", "description"))
                    .allSatisfy(text -> assertThat(
                                    rule.path("annotations").path(text).asText())
                            .isNotEmpty());
        }
    }

    @Test
    void everyDashboardPanelHasAnExpression() throws IOException {
        var dashboard = new JsonMapper()
                .readTree(FILES.resolve("dashboards/policies.json").toFile());

        assertThat(dashboard.path("uid").asText()).isEqualTo("portcullis-policies");
        assertThat(dashboard.path("panels").size()).isGreaterThan(5);
        for (JsonNode panel : dashboard.path("panels")) {
            assertThat(panel.path("targets").path(0).path("expr").asText())
                    .as(panel.path("title").asText())
                    .isNotEmpty();
        }
    }
}
