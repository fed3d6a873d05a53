package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Names, comments and pages use the words of docs/glossary.md, and none that the glossary retired. */
class RetiredWordsTest {

    private static final Path GLOSSARY = Path.of("docs/glossary.md");
    private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");
    private static final Pattern STRING = Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"");

    /** Files that must name retired words, or quote texts of others. */
    private static final Set<Path> EXEMPT =
            Set.of(GLOSSARY, Path.of("distribution/src/test/java/io/portcullis/docs/RetiredWordsTest.java"));

    @Test
    void sourcesUseNoRetiredWord() throws IOException {
        var retired = retiredWords();
        var found = new ArrayList<String>();
        for (var file : Page.files(".java")) {
            if (!EXEMPT.contains(file)) {
                // Strings hold texts that are compatible with other programs; pages and golden files cover ours.
                found.addAll(uses(retired, file, Files.readAllLines(Page.root().resolve(file)), true));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void pagesUseNoRetiredWord() {
        var retired = retiredWords();
        var found = new ArrayList<String>();
        Page.all().stream()
                .filter(page -> !EXEMPT.contains(page.path()))
                .forEach(page -> found.addAll(uses(retired, page.path(), page.prose(), false)));
        assertThat(found).isEmpty();
    }

    @Test
    void findsRetiredWordsInNamesAndCommentsButNotInStrings() {
        var lines = List.of(
                "// Nobody reads this", "int putOffSince = 1;", "var text = \"nobody\";", "var nobodyElse = 2;");

        assertThat(uses(Set.of(" nobody ", " put off "), Path.of("A.java"), lines, true))
                .containsExactly("A.java:1: nobody ", "A.java:2: put off ", "A.java:4: nobody ");
    }

    @Test
    void theGlossaryRetiresWords() {
        assertThat(retiredWords()).contains(" stirred ", " mishap ", " put off ", " nobody ");
    }

    /** The words in the first column of the last table, as {@link #words} splits them. */
    private static Set<String> retiredWords() {
        var lines = Page.read(GLOSSARY).lines();
        return lines.subList(lines.indexOf("## Retired words"), lines.size()).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| retired"))
                .map(line -> line.split("\\|", -1)[1])
                .flatMap(cell -> Arrays.stream(cell.split(",", -1)))
                .map(RetiredWordsTest::words)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> uses(Set<String> retired, Path file, List<String> lines, boolean skipsStrings) {
        var found = new ArrayList<String>();
        for (var i = 0; i < lines.size(); i++) {
            var line = words(skipsStrings ? STRING.matcher(lines.get(i)).replaceAll("") : lines.get(i));
            for (var word : retired) {
                if (line.contains(word)) {
                    found.add(file + ":" + (i + 1) + ":" + word);
                }
            }
        }
        return found;
    }

    /** Returns the words of a text in lower case, each between spaces. A camel-case name has several words. */
    private static String words(String text) {
        var words = new StringJoiner(" ", " ", " ");
        WORD.matcher(text).results().forEach(word -> words.add(word.group().toLowerCase(Locale.ROOT)));
        return words.toString();
    }
}
