package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.claim.NamedTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that claim something say which test shows it. */
class ClaimsTest {

    private static final String SHOWN_BY = "shown by |";

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
