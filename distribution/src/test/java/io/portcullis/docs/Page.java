package io.portcullis.docs;

import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A page of the documentation.
 *
 * @param path relative to the root of the checkout
 * @param lines its text
 */
record Page(Path path, List<String> lines) {

    private static final Pattern FENCE = Pattern.compile("^ {0,3}```(.*)$");
    private static final Set<String> NOT_OURS = Set.of("target", "dist", ".git", "node_modules");

    /** A fenced block: what stands after its opening fence, its content, and the line where it begins, from 1. */
    record Fenced(String info, List<String> lines, int line) {}

    static Path root() {
        return Checkout.current().root();
    }

    /** Every Markdown file of the checkout. */
    static List<Page> all() {
        return files(".md").stream().map(Page::read).toList();
    }

    /** The files of the checkout whose names end so, relative to its root; without what a build makes. */
    static List<Path> files(String ending) {
        try (var files = Files.walk(root())) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .map(root()::relativize)
                    .filter(Page::isOurs)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOurs(Path path) {
        for (Path name : path) {
            if (NOT_OURS.contains(name.toString())) {
                return false;
            }
        }
        return true;
    }

    /** @param path relative to the root */
    static Page read(Path path) {
        try {
            return new Page(path, Files.readAllLines(root().resolve(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Page of(String path, String text) {
        return new Page(Path.of(path), text.lines().toList());
    }

    List<Fenced> fenced() {
        var found = new ArrayList<Fenced>();
        List<String> content = null;
        var info = "";
        int start = 0;
        for (int i = 0; i < lines.size(); i++) {
            var matcher = FENCE.matcher(lines.get(i));
            if (!matcher.matches()) {
                if (content != null) {
                    content.add(lines.get(i));
                }
            } else if (content == null) {
                content = new ArrayList<>();
                info = matcher.group(1).strip();
                start = i + 1;
            } else {
                found.add(new Fenced(info, List.copyOf(content), start));
                content = null;
            }
        }
        if (content != null) {
            throw new AssertionError(path + ":" + start + ": the block is never closed");
        }
        return found;
    }

    /** The lines that are not in a block. */
    List<String> prose() {
        var prose = new ArrayList<String>();
        boolean inside = false;
        for (String line : lines) {
            if (FENCE.matcher(line).matches()) {
                inside = !inside;
            } else if (!inside) {
                prose.add(line);
            }
        }
        return prose;
    }

    /** What links to headings of this page may end with, as web sites for Markdown make them. */
    Set<String> anchors() {
        var anchors = new LinkedHashSet<String>();
        var seen = new HashMap<String, Integer>();
        for (String line : prose()) {
            if (line.matches("#{1,6} .*")) {
                var slug = line.replaceFirst("^#+ +", "")
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .strip()
                        .replace(' ', '-');
                int before = seen.merge(slug, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? slug : slug + "-" + before);
            }
        }
        return anchors;
    }
}
