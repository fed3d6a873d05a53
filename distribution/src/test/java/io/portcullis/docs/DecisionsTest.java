package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every decision page has a number and a date, follows the template, and is in the index. */
class DecisionsTest {

    private static final Path DIRECTORY = Path.of("docs/decisions");
    private static final Path INDEX = DIRECTORY.resolve("README.md");
    private static final Pattern FILE = Pattern.compile("(\\d{4})-[a-z0-9-]+\\.md");
    private static final Pattern TITLE = Pattern.compile("# (\\d{4}): (\\S.*)");
    private static final Pattern STATUS = Pattern.compile("- Status: (accepted|replaced by \\d{4})");
    private static final Pattern DATE = Pattern.compile("- Date: (\\S+)");
    private static final List<String> HEADINGS = List.of("## Context", "## Decision", "## Consequences");
    private static final List<String> HEADINGS_WITH_ALTERNATIVES =
            List.of("## Context", "## Decision", "## Alternatives", "## Consequences");

    @Test
    void everyPageFollowsTheTemplate() {
        assertThat(pages())
                .isNotEmpty()
                .allSatisfy(page ->
                        assertThat(problems(page)).as(page.path().toString()).isEmpty());
    }

    @Test
    void numbersHaveNoGapsAndFollowTheDates() {
        var pages = pages();
        assertThat(pages.stream().map(page -> number(page.path())))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, pages.size())
                        .mapToObj("%04d"::formatted)
                        .toList());
        assertThat(pages.stream().map(page -> page.lines().get(3))).isSorted();
    }

    @Test
    void theIndexHasNumberTitleAndDateOfEveryPage() {
        var index = Page.read(INDEX).lines();
        assertThat(pages()).allSatisfy(page -> assertThat(index).contains(row(page)));
        assertThat(index.stream().filter(line -> line.startsWith("| ["))).hasSameSizeAs(pages());
    }

    @Test
    void acceptsAPageWithAlternatives() {
        assertThat(problems(page(String.join("\n", HEADINGS_WITH_ALTERNATIVES))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "# 0007: A title, # 0008: A title",
        "# 0007: A title, # A title",
        "- Status: accepted, - Status: yes",
        "- Date: 2026-11-15, - Date: 2026-11-32",
        "## Decision, ## What we do"
    })
    void findsPagesThatDoNotFollowTheTemplate(String right, String wrong) {
        var text = String.join("\n", page(String.join("\n", HEADINGS)).lines());
        assertThat(problems(Page.of("docs/decisions/0007-a-title.md", text))).isEmpty();
        assertThat(problems(Page.of("docs/decisions/0007-a-title.md", text.replace(right, wrong))))
                .hasSize(1);
    }

    private static Page page(String headings) {
        return Page.of(
                "docs/decisions/0007-a-title.md",
                "# 0007: A title\n\n- Status: accepted\n- Date: 2026-11-15\n\n" + headings);
    }

    private static List<Page> pages() {
        return Page.all().stream()
                .filter(page ->
                        page.path().startsWith(DIRECTORY) && !page.path().equals(INDEX))
                .sorted((one, other) -> one.path().compareTo(other.path()))
                .toList();
    }

    private static List<String> problems(Page page) {
        var problems = new ArrayList<String>();
        var lines = new ArrayList<>(page.lines());
        while (lines.size() < 4) {
            lines.add("");
        }
        var title = TITLE.matcher(lines.getFirst());
        if (!title.matches() || !title.group(1).equals(number(page.path()))) {
            problems.add("the title does not begin with the number of the file: " + lines.getFirst());
        }
        if (!STATUS.matcher(lines.get(2)).matches()) {
            problems.add("not a status: " + lines.get(2));
        }
        if (!isDate(lines.get(3))) {
            problems.add("not a date: " + lines.get(3));
        }
        var headings =
                page.prose().stream().filter(line -> line.startsWith("## ")).toList();
        if (!headings.equals(HEADINGS) && !headings.equals(HEADINGS_WITH_ALTERNATIVES)) {
            problems.add("not the headings of the template: " + headings);
        }
        return problems;
    }

    private static boolean isDate(String line) {
        var date = DATE.matcher(line);
        try {
            return date.matches() && LocalDate.parse(date.group(1)).isAfter(LocalDate.EPOCH);
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static String number(Path path) {
        var file = FILE.matcher(String.valueOf(path.getFileName()));
        return file.matches() ? file.group(1) : "";
    }

    private static String row(Page page) {
        var title = TITLE.matcher(page.lines().getFirst());
        assertThat(title.matches()).as(page.path().toString()).isTrue();
        return "| [%s](%s) | %s | %s |"
                .formatted(
                        title.group(1),
                        page.path().getFileName(),
                        title.group(2),
                        page.lines().get(3).replace("- Date: ", ""));
    }
}
