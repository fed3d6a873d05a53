package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.claim.NamedTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that claim something say which test shows it. */
class ClaimsTest {

    private static final String SHOWN_BY = "shown by |";
    private static final Pattern TEST = Pattern.compile("`(\\w*)#(\\w+)`");

    @ParameterizedTest
    @ValueSource(strings = {"SECURITY.md", "docs/comparison.md"})
    void everyRowNamesATestThatExists(String page) {
        var rows = rows(Page.read(Path.of(page)));
        assertThat(rows).hasSizeGreaterThan(10);
        assertThat(rows).allSatisfy(row -> {
            var cells = row.split(" \\| ", -1);
            var named = NamedTest.in(cells[cells.length - 1]);
            assertThat(named).as("tests in the last column").isNotEmpty();
            assertThat(named).allMatch(test -> test.existsIn(Page.root()), "exists");
        });
    }

    @Test
    void everyThreatOfTheModelHasItsRow() {
        var rows = rows(Page.read(Path.of("SECURITY.md")));
        for (int threat = 1; threat <= 18; threat++) {
            var beginning = "| " + threat + " |";
            assertThat(rows)
                    .as(beginning)
                    .filteredOn(row -> row.startsWith(beginning))
                    .hasSize(1);
        }
    }

    @Test
    void everyTestOfTheLifecycleExists() {
        var sources = Page.files(".java");
        var missing = new ArrayList<String>();
        for (String line :
                Page.read(Path.of("docs/contributors/lifecycle-tests.md")).prose()) {
            for (String cell : line.split("\\|", -1)) {
                var type = "";
                var matcher = TEST.matcher(cell);
                while (matcher.find()) {
                    // "#method" after "Class#method" belongs to the same class.
                    type = matcher.group(1).isEmpty() ? type : matcher.group(1);
                    if (!exists(sources, type, matcher.group(2))) {
                        missing.add(type + "#" + matcher.group(2));
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static boolean exists(List<Path> sources, String type, String method) {
        return sources.stream()
                .filter(source -> source.endsWith(type + ".java"))
                .flatMap(source -> Page.read(source).lines().stream())
                .anyMatch(line -> line.contains("void " + method + "("));
    }

    /** Of the tables whose last column says which test shows it. */
    private static List<String> rows(Page page) {
        var rows = new ArrayList<String>();
        boolean inside = false;
        for (String line : page.prose()) {
            if (line.endsWith(SHOWN_BY)) {
                inside = true;
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("|---")) {
                rows.add(line);
            }
        }
        return rows;
    }
}
