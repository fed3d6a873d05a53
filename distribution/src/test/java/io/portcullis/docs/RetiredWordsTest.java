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
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Names, comments and pages use the words of docs/glossary.md, and none that the glossary retired. */
class RetiredWordsTest {

    private static final Path GLOSSARY = Path.of("docs/glossary.md");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]+");
    private static final Pattern CAMEL_CASE = Pattern.compile("(?<=[a-z])(?=[A-Z])");
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

        assertThat(uses(Set.of("nobody", "putoff"), Path.of("A.java"), lines, true))
                .containsExactly("A.java:1: nobody", "A.java:2: putoff", "A.java:4: nobody");
    }

    @Test
    void theGlossaryRetiresWords() {
        assertThat(retiredWords()).contains("stirred", "mishap", "putoff", "nobody");
    }

    /** The words in the first column of the last table, in lower case. */
    private static Set<String> retiredWords() {
        var lines = Page.read(GLOSSARY).lines();
        var words = new TreeSet<String>();
        lines.subList(lines.indexOf("## Retired words"), lines.size()).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| retired"))
                .map(line -> line.split("\\|", -1)[1])
                .flatMap(cell -> Arrays.stream(cell.split(",", -1)))
                .forEach(word -> words.add(word.strip().toLowerCase(Locale.ROOT)));
        return words;
    }

    /** A retired word is found as a whole word, and as one or two neighbouring parts of a camel-case name. */
    private static List<String> uses(Set<String> retired, Path file, List<String> lines, boolean skipsStrings) {
        var found = new ArrayList<String>();
        for (var i = 0; i < lines.size(); i++) {
            var line = skipsStrings ? STRING.matcher(lines.get(i)).replaceAll("\"\"") : lines.get(i);
            var words = WORD.matcher(line);
            while (words.find()) {
                var parts = CAMEL_CASE.split(words.group(), -1);
                for (var part = 0; part < parts.length; part++) {
                    var one = parts[part].toLowerCase(Locale.ROOT);
                    var two = part + 1 < parts.length ? one + parts[part + 1].toLowerCase(Locale.ROOT) : one;
                    for (var candidate : new TreeSet<>(List.of(one, two))) {
                        if (retired.contains(candidate)) {
                            found.add(file + ":" + (i + 1) + ": " + candidate);
                        }
                    }
                }
            }
        }
        return found;
    }
}
