package io.portcullis.testkit.claim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reference to a test in a document: {@code module: Class#method}.
 *
 * @param module the directory of the module
 * @param type the simple name of the test class
 * @param method the test method
 */
public record NamedTest(String module, String type, String method) {

    private static final Pattern FORM = Pattern.compile("([a-z-]+): ?(\\w+)#(\\w+)");
    private static final Pattern IN_TEXT = Pattern.compile("`" + FORM.pattern() + "`");

    /** Parses a text that consists only of a test reference. */
    public static Optional<NamedTest> parse(String text) {
        var matcher = FORM.matcher(text);
        return matcher.matches() ? Optional.of(from(matcher)) : Optional.empty();
    }

    /** Returns all test references between backticks in a text. */
    public static List<NamedTest> in(String text) {
        var found = new ArrayList<NamedTest>();
        var matcher = IN_TEXT.matcher(text);
        while (matcher.find()) {
            found.add(from(matcher));
        }
        return found;
    }

    private static NamedTest from(Matcher matcher) {
        return new NamedTest(matcher.group(1), matcher.group(2), matcher.group(3));
    }

    /** Returns whether the source tree contains the test method. */
    public boolean existsIn(Path root) {
        var sources = root.resolve(module).resolve("src/test/java");
        if (!Files.isDirectory(sources)) {
            return false;
        }
        var declaration = Pattern.compile("\\bvoid " + method + "\\(");
        try (var files = Files.walk(sources)) {
            for (Path file : files.filter(path -> path.endsWith(type + ".java")).toList()) {
                if (declaration.matcher(Files.readString(file)).find()) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look for tests in " + sources, e);
        }
    }

    @Override
    public String toString() {
        return module + ": " + type + "#" + method;
    }
}
