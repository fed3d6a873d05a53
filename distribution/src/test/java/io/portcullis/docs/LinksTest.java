package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every link between pages leads somewhere. */
class LinksTest {

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    /** Names of documents that the repository was made from and does not contain. */
    private static final Pattern OUTSIDE = Pattern.compile(
            "\\bDESIGN\\b|\\bspec/[a-z-]+\\.md|\\b[Ss]pec(ification)?( kwctl)? ?§|users-ask|kuadrant-status|\\bS-(LC|PS|ST|KU|GRP)\\b");

    private static final Set<Path> NAMES_OUTSIDE_DOCUMENTS = Set.of(
            Path.of("distribution/src/test/java/io/portcullis/docs/LinksTest.java"),
            Path.of("api/src/test/java/io/portcullis/api/requirements/RequirementsTest.java"));

    @Test
    void everyLinkLeadsSomewhere() {
        var broken = new ArrayList<String>();
        Page.all().forEach(page -> broken.addAll(brokenLinks(page)));
        assertThat(broken).isEmpty();
    }

    @Test
    void aBrokenLinkIsFound() {
        var page = Page.of("docs/page.md", """
            # A page: *of* `ours`
            [here](#a-page-of-ours) [not here](#elsewhere) [file](../README.md) [heading](../README.md#try-it)
            [none](no-such-page.md) [no heading](../README.md#no-such-heading) [web](https://example.com/x) `[a](b)`
            ```
            [in a block](no-such-page.md)
            ```
            """);
        assertThat(brokenLinks(page))
                .containsExactly(
                        "docs/page.md: #elsewhere",
                        "docs/page.md: no-such-page.md",
                        "docs/page.md: ../README.md#no-such-heading");
    }

    @Test
    void everyPageOfTheDocumentationIsInItsIndex() {
        var index = Page.read(Path.of("docs/README.md"));
        var linked = index.prose().stream()
                .flatMap(line -> LINK.matcher(line).results())
                .map(link -> Path.of("docs").resolve(link.group(1)).normalize())
                .toList();
        assertThat(Page.all().stream().map(Page::path))
                .filteredOn(path -> path.startsWith("docs") && !path.startsWith("docs/decisions"))
                .filteredOn(path -> !path.equals(index.path()))
                .allSatisfy(path -> assertThat(linked).contains(path));
    }

    @Test
    void noFileRefersToADocumentOutsideTheRepository() throws IOException {
        var found = new ArrayList<String>();
        for (var ending : List.of(".java", ".md", ".sh")) {
            for (var file : Page.files(ending)) {
                if (!NAMES_OUTSIDE_DOCUMENTS.contains(file)) {
                    found.addAll(outside(file, Files.readAllLines(Page.root().resolve(file))));
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void findsReferencesToDocumentsOutsideTheRepository() {
        assertThat(outside(
                        Path.of("A.java"),
                        List.of(
                                "see spec/status.md",
                                "DESIGN.md",
                                "Spec kwctl §2",
                                "RFC 6962 §2.1",
                                "/spec/rules",
                                "S-LC 4")))
                .containsExactly(
                        "A.java:1: see spec/status.md",
                        "A.java:2: DESIGN.md",
                        "A.java:3: Spec kwctl §2",
                        "A.java:6: S-LC 4");
    }

    private static List<String> outside(Path file, List<String> lines) {
        var found = new ArrayList<String>();
        for (var i = 0; i < lines.size(); i++) {
            if (OUTSIDE.matcher(lines.get(i)).find()) {
                found.add(file + ":" + (i + 1) + ": " + lines.get(i).strip());
            }
        }
        return found;
    }

    private static List<String> brokenLinks(Page page) {
        var broken = new ArrayList<String>();
        for (String line : page.prose()) {
            var matcher = LINK.matcher(line.replaceAll("`[^`]*`(?!])", ""));
            while (matcher.find()) {
                var target = matcher.group(1);
                if (!ELSEWHERE.matcher(target).matches() && !leadsSomewhere(page, target)) {
                    broken.add(page.path() + ": " + target);
                }
            }
        }
        return broken;
    }

    private static boolean leadsSomewhere(Page from, String target) {
        int hash = target.indexOf('#');
        var file = hash < 0 ? target : target.substring(0, hash);
        var path =
                file.isEmpty() ? from.path() : from.path().resolveSibling(file).normalize();
        if (!file.isEmpty() && !Files.exists(Page.root().resolve(path))) {
            return false;
        }
        return hash < 0 || (file.isEmpty() ? from : Page.read(path)).anchors().contains(target.substring(hash + 1));
    }
}
