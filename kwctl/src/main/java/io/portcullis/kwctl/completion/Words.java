package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.args.HelpText;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.cli.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What the generators share: which words a page offers. */
final class Words {

    private Words() {}

    /** {@code -r} and {@code --request-path}. */
    static List<String> names(Option option) {
        var names = new ArrayList<String>();
        option.shortName().ifPresent(letter -> names.add("-" + letter));
        names.add("--" + option.longName());
        return names;
    }

    /** All options and sub-commands of a page. */
    static List<String> offered(Page page) {
        return Stream.concat(
                        page.options().stream().flatMap(option -> names(option).stream()),
                        page.children().stream().map(HelpText.Row::term))
                .toList();
    }

    /** Whether a value names a file or directory, told by its placeholder or its option. */
    static boolean isPath(Option option) {
        var place = option.value().display().toLowerCase(Locale.ROOT);
        return place.contains("path")
                || place.contains("file")
                || place.contains("dir")
                || option.longName().contains("path");
    }

    /** The paths of all commands below the root, from which a shell tells a sub-command from an argument. */
    static List<String> commandPaths(List<Page> pages) {
        return pages.stream().map(Page::path).filter(path -> path.contains(" ")).toList();
    }
}
