package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The words that a page offers for completion. All generators share them. */
final class Words {

    private Words() {}

    /** Returns all names of an option, for example {@code -r} and {@code --request-path}. */
    static List<String> names(Option option) {
        var names = new ArrayList<String>();
        option.shortName().ifPresent(letter -> names.add("-" + letter));
        names.add("--" + option.longName());
        return names;
    }

    /** Returns all options and subcommands of a page. */
    static List<String> offered(Page page) {
        return Stream.concat(
                        page.options().stream().flatMap(option -> names(option).stream()),
                        page.children().stream().map(HelpText.Row::term))
                .toList();
    }

    /** Returns whether the value is a file or directory, judging by the placeholder or the name of the option. */
    static boolean isPath(Option option) {
        var place = option.value().display().toLowerCase(Locale.ROOT);
        return place.contains("path")
                || place.contains("file")
                || place.contains("dir")
                || option.longName().contains("path");
    }

    /** Returns the paths of all commands below the root. Shells use them to distinguish a subcommand from an argument. */
    static List<String> commandPaths(List<Page> pages) {
        return pages.stream().map(Page::path).filter(path -> path.contains(" ")).toList();
    }
}
