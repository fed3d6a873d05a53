package io.portcullis.docs;

import io.portcullis.testkit.claim.NamedTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A block of commands in a page. What stands after the word {@code sh} says who runs it: {@code run=local},
 * {@code run=cluster}, {@code run=demo}; {@code shown-by=module:Class#method}, a test that does what the commands do; or
 * {@code example: why it cannot be run}.
 *
 * @param at page and line, for messages
 * @param marker who runs it
 * @param lines the commands
 */
record ShellBlock(String at, Marker marker, List<String> lines) {

    private static final Set<String> SHELLS = Set.of("sh", "bash", "shell", "console", "zsh");
    private static final Pattern INFO = Pattern.compile("(\\S+)(?: +(.*))?");
    /** What a command looks like that stands in a block without a language. */
    private static final Pattern COMMAND =
            Pattern.compile("^\\s*(\\$ |\\./portcullis|(kubectl|kwctl|helm|curl|mvn|docker|cosign) [\\w-]).*");

    private static final Pattern FAILS = Pattern.compile(".*\\s# (fails|refused)\\b.*");

    sealed interface Marker {

        /** A test runs it: of {@link LocalCommandsIT} or {@link DemoIT}. */
        record Run(Place place) implements Marker {}

        /** A test does what the commands do. */
        record ShownBy(NamedTest test) implements Marker {}

        /** It has parts that a reader must fill in. */
        record Example(String why) implements Marker {}

        /** No test runs it. */
        record None(String why) implements Marker {}
    }

    enum Place {
        /** On this machine, without a cluster; {@code localhost:5000} is a registry. */
        LOCAL,
        /** On the cluster that the demo leaves. */
        CLUSTER,
        /** It is the demo. */
        DEMO
    }

    /** The blocks of a page that hold commands, marked or not. */
    static List<ShellBlock> of(Page page) {
        var blocks = new ArrayList<ShellBlock>();
        for (var fenced : page.fenced()) {
            var at = page.path() + ":" + fenced.line();
            var info = INFO.matcher(fenced.info());
            if (!info.matches()) {
                if (fenced.lines().stream()
                        .anyMatch(line -> COMMAND.matcher(line).matches())) {
                    blocks.add(new ShellBlock(
                            at, new Marker.None("commands in a block without a language"), fenced.lines()));
                }
            } else if (SHELLS.contains(info.group(1))) {
                blocks.add(new ShellBlock(
                        at, marker(Optional.ofNullable(info.group(2)).orElse("")), fenced.lines()));
            }
        }
        return blocks;
    }

    private static Marker marker(String text) {
        if (text.startsWith("run=")) {
            return switch (text.substring(4)) {
                case "local" -> new Marker.Run(Place.LOCAL);
                case "cluster" -> new Marker.Run(Place.CLUSTER);
                case "demo" -> new Marker.Run(Place.DEMO);
                default -> new Marker.None("nothing runs there: " + text);
            };
        }
        if (text.startsWith("shown-by=")) {
            return NamedTest.parse(text.substring(9))
                    .<Marker>map(Marker.ShownBy::new)
                    .orElse(new Marker.None("not module:Class#method: " + text));
        }
        if (text.startsWith("example: ")) {
            return new Marker.Example(text.substring(9));
        }
        return new Marker.None(text.isEmpty() ? "no marker" : "no such marker: " + text);
    }

    boolean runsAt(Place place) {
        return marker.equals(new Marker.Run(place));
    }

    /**
     * A script that ends at the first command that does not do what the page says: succeed, or fail where its comment says
     * {@code # fails} or {@code # refused}.
     */
    String script() {
        var script = new StringBuilder();
        for (String line : lines) {
            if (FAILS.matcher(line).matches()) {
                script.append("if ").append(line).append("\nthen echo 'this should have failed' >&2; exit 97; fi\n");
            } else {
                script.append(line).append('\n');
            }
        }
        return script.toString();
    }
}
