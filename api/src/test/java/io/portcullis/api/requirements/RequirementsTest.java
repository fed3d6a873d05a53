package io.portcullis.api.requirements;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.claim.NamedTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that {@code docs/requirements.md} is well formed and names only existing tests. */
class RequirementsTest {

    private static final Pattern ROW = Pattern.compile("^\\| ([A-Z]+-\\d{3}) \\|(.*)\\|$");
    /** The title of the document that each series comes from. */
    private static final Map<String, String> TITLES = Map.of(
            "LC", "RFC: Policy lifecycle",
            "PS", "RFC: policy-server custom resource",
            "ST", "Documentation page: Policy lifecycle",
            "KU", "RFC: policy_status_states",
            "GRP", "RFC: Policy group");
    /** Series of our own requirements, which come from no document. */
    private static final Set<String> OWN = Set.of("CK", "ISO");

    private static final String NO_SOURCE = "–";
    private static final String NO_TEST = "—";
    /** Why a row departs from its source, or why no test shows it. */
    private static final Pattern REASON = Pattern.compile("\\*\\([^)]{20,}\\)\\*");
    /** Title, sections, and the contradiction between documents that the row settles. */
    private static final Pattern SOURCE =
            Pattern.compile("(.+), sections? (\\S[^;]*(?:; \\S[^;]*?)*?)(?: \\((C\\d+)\\))?");

    private static final String CONTRADICTIONS = "docs/design/README.md";

    private static final int FIRST_ISSUE = 3;
    private static final int LAST_ISSUE = 30;

    private final Path root = repositoryRoot();
    private final List<Row> rows = rows(root);

    private record Row(String id, String source, String text, String issue, String shownBy) {

        String series() {
            return id.substring(0, id.indexOf('-'));
        }

        int number() {
            return Integer.parseInt(id.substring(id.indexOf('-') + 1));
        }
    }

    @Test
    void everySourceDocumentHasItsSeries() {
        assertThat(rows.stream().map(Row::series).distinct()).containsExactlyInAnyOrderElementsOf(series());
    }

    private static Set<String> series() {
        return Stream.concat(TITLES.keySet().stream(), OWN.stream()).collect(Collectors.toUnmodifiableSet());
    }

    @Test
    void idsAreUniqueAndHaveNoGaps() {
        for (String series : series()) {
            var numbers = rows.stream()
                    .filter(row -> row.series().equals(series))
                    .map(Row::number)
                    .toList();
            assertThat(numbers)
                    .as(series)
                    .containsExactlyElementsOf(
                            Stream.iterate(1, n -> n + 1).limit(numbers.size()).toList());
        }
    }

    @Test
    void everyRowHasASourceAndARequirement() {
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.source()).as(row.id()).is(knownSourceOf(row.series()));
            assertThat(row.text()).hasSizeGreaterThan(20);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RFC: Policy lifecycles, section Rollback",
                "RFC: Policy group, section Rollback",
                "RFC: Policy lifecycle",
                "RFC: Policy lifecycle, section ",
                "S-LC 14",
                NO_SOURCE
            })
    void rejectsUnknownSources(String source) {
        assertThat(source).isNot(knownSourceOf("LC"));
    }

    @Test
    void thePageListsTheTitleOfEachSource() throws IOException {
        assertThat(Files.readAllLines(root.resolve("docs/requirements.md")).stream()
                        .filter(line -> line.matches("\\| (RFC|Documentation page): .*"))
                        .map(line -> line.split("\\|", -1)[1].strip()))
                .containsExactlyInAnyOrderElementsOf(TITLES.values());
    }

    @Test
    void everyContradictionInASourceIsDescribed() throws IOException {
        var described = Files.readString(root.resolve(CONTRADICTIONS));
        assertThat(rows.stream()
                        .map(row -> SOURCE.matcher(row.source()))
                        .filter(Matcher::matches)
                        .flatMap(source -> Stream.ofNullable(source.group(3))))
                .isNotEmpty()
                .allSatisfy(number -> assertThat(described).contains("| " + number + " |"));
    }

    /** Title and section of the document that a series comes from, or no source for our own requirements. */
    private static Condition<String> knownSourceOf(String series) {
        return new Condition<>(
                source -> {
                    var matcher = SOURCE.matcher(source);
                    return OWN.contains(series)
                            ? source.equals(NO_SOURCE)
                            : matcher.matches() && matcher.group(1).equals(TITLES.get(series));
                },
                "a known source of the series %s",
                series);
    }

    @Test
    void everyRowNamesAnExistingIssue() {
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.issue()).as(row.id()).matches("#\\d+");
            assertThat(Integer.parseInt(row.issue().substring(1))).as(row.id()).isBetween(FIRST_ISSUE, LAST_ISSUE);
        });
    }

    @Test
    void everyNamedTestExists() {
        var problems = new LinkedHashSet<String>();
        for (Row row : rows) {
            for (String claim : claims(row)) {
                var named = NamedTest.in(claim);
                assertThat(named)
                        .as("%s: not of the form `module: Class#method`: %s", row.id(), claim)
                        .hasSize(1)
                        .allMatch(test -> ("`" + test + "`").equals(claim));
                named.getFirst()
                        .problemIn(root)
                        .ifPresent(problem -> problems.add(row.id() + ": " + claim + " " + problem));
            }
        }
        assertThat(problems)
                .as("tests named in docs/requirements.md that show nothing")
                .isEmpty();
    }

    @Test
    void everyRowHasATestOrAReason() {
        assertThat(rows).allMatch(RequirementsTest::isShownOrExplained, "has a test or says why it has none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "A group costs little more than its members.                                        | —            |"
                        + " false",
                "A group costs little more than its members (all of them).                          | —            |"
                        + " false",
                "A group costs little more than its members *()*.                                   | —            |"
                        + " false",
                "A group costs little more than its members *(measured by a benchmark, not a test)*. | —            |"
                        + " true",
                "A group costs little more than its members.                                        | ''           |"
                        + " false",
                "A group costs little more than its members.                                        | `a: BTest#c` |"
                        + " true",
            })
    void acceptsADashOnlyWithAReason(String text, String shownBy, boolean accepted) {
        assertThat(isShownOrExplained(new Row("GRP-001", "", text, "#3", shownBy)))
                .isEqualTo(accepted);
    }

    private static boolean isShownOrExplained(Row row) {
        return row.shownBy().equals(NO_TEST)
                ? REASON.matcher(row.text()).find()
                : !row.shownBy().isEmpty();
    }

    private static List<String> claims(Row row) {
        return row.shownBy().equals(NO_TEST)
                ? List.of()
                : Arrays.asList(row.shownBy().split(", "));
    }

    private static List<Row> rows(Path root) {
        var rows = new ArrayList<Row>();
        try {
            for (String line : Files.readAllLines(root.resolve("docs/requirements.md"))) {
                var matcher = ROW.matcher(line);
                if (matcher.matches()) {
                    var cells = matcher.group(2).split("\\|", -1);
                    assertThat(cells).as("cells of %s", matcher.group(1)).hasSize(4);
                    rows.add(new Row(
                            matcher.group(1), cells[0].strip(), cells[1].strip(), cells[2].strip(), cells[3].strip()));
                }
            }
        } catch (IOException e) {
            throw new AssertionError("docs/requirements.md cannot be read", e);
        }
        return rows;
    }

    /** Returns the nearest parent of the working directory that contains the page. */
    private static Path repositoryRoot() {
        var directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("docs/requirements.md"))) {
            var parent = directory.getParent();
            if (parent == null) {
                throw new AssertionError(
                        "no docs/requirements.md above " + Path.of("").toAbsolutePath());
            }
            directory = parent;
        }
        return directory;
    }
}
