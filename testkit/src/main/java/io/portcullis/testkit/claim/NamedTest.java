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
    private static final Pattern RUN_BY_THE_BUILD = Pattern.compile("\\w+(?:Test|IT)");
    private static final Pattern TEST =
            Pattern.compile("(?m)^ *@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b");
    /** JUnit's annotations that keep a test from running, always or on some machines. */
    private static final Pattern DISABLED = Pattern.compile("(?m)^ *@(?:Disabled|EnabledI|EnabledO|EnabledF)\\w*");

    private static final Pattern DISABLED_CLASS = Pattern.compile("(?m)^@(?:Disabled|EnabledI|EnabledO|EnabledF)\\w*");

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
        return sources(root).stream().anyMatch(source -> declaration(source).isPresent());
    }

    /**
     * Returns why the test shows nothing: it does not exist, the build does not run it, or it is disabled. Empty if each
     * build runs it.
     */
    public Optional<String> problemIn(Path root) {
        var source = sources(root).stream()
                .filter(text -> declaration(text).isPresent())
                .findFirst();
        if (source.isEmpty()) {
            return Optional.of("does not exist");
        }
        if (!RUN_BY_THE_BUILD.matcher(type).matches()) {
            return Optional.of(
                    "is in a class that the build does not run: its name ends neither with Test nor with IT");
        }
        var annotations = declaration(source.get()).orElseThrow();
        if (!TEST.matcher(annotations).find()) {
            return Optional.of("is not annotated as a test");
        }
        if (DISABLED.matcher(annotations).find()
                || DISABLED_CLASS.matcher(source.get()).find()) {
            return Optional.of("is disabled");
        }
        return Optional.empty();
    }

    /** Returns the annotations and comments of the method, if the source declares it outside of a comment. */
    private Optional<String> declaration(String source) {
        var method = Pattern.compile(
                        "(?m)^( *)(?:(?:public|protected|private|final|static) )*void " + this.method + "\\(")
                .matcher(source);
        if (!method.find()) {
            return Optional.empty();
        }
        var before = source.substring(0, method.start());
        var indent = method.group(1);
        var previousMember = Pattern.compile(
                        "(?m)^(?:" + indent + "(?:}|[^\\s@].*[;}])|.*\\b(?:class|interface|record|enum) .*\\{)$")
                .matcher(before);
        int start = 0;
        while (previousMember.find()) {
            start = previousMember.end();
        }
        return Optional.of(before.substring(start));
    }

    private List<String> sources(Path root) {
        var sources = root.resolve(module).resolve("src/test/java");
        if (!Files.isDirectory(sources)) {
            return List.of();
        }
        try (var files = Files.walk(sources)) {
            var texts = new ArrayList<String>();
            for (Path file : files.filter(path -> path.endsWith(type + ".java")).toList()) {
                texts.add(Files.readString(file));
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look for tests in " + sources, e);
        }
    }

    @Override
    public String toString() {
        return module + ": " + type + "#" + method;
    }
}
