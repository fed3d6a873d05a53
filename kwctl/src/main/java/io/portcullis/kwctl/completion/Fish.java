package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import java.util.List;
import java.util.stream.Collectors;

/** Completions for fish. */
final class Fish {

    private Fish() {}

    static String script(List<Page> pages) {
        var commands =
                Words.commandPaths(pages).stream().map(path -> "'" + path + "'").collect(Collectors.joining(" "));
        return """
                # fish completion for kwctl: kwctl completions --shell fish > ~/.config/fish/completions/kwctl.fish
                function __kwctl_at
                    set -l path kwctl
                    for word in (commandline -opc)[2..-1]
                        if contains -- "$path $word" %s
                            set path "$path $word"
                        end
                    end
                    test "$path" = "$argv[1]"
                end
                """.formatted(commands) + pages.stream().map(Fish::page).collect(Collectors.joining());
    }

    private static String page(Page page) {
        var here = "complete -c kwctl -n '__kwctl_at \"" + page.path() + "\"'";
        var children = page.children().stream()
                .map(row -> here + " -f -a " + row.term() + " -d " + quoted(row))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
        return children
                + page.options().stream()
                        .map(option -> here + option(option) + "\n")
                        .collect(Collectors.joining());
    }

    private static String option(Option option) {
        var letter = option.shortName().map(name -> " -s " + name).orElse("");
        var possible = option.value().possible();
        var value = !option.takesValue()
                ? ""
                : possible.isEmpty()
                        ? " -r" + (Words.isPath(option) ? " -F" : "")
                        : " -x -a '" + String.join(" ", possible) + "'";
        return letter + " -l " + option.longName() + value + " -d " + quoted(HelpText.row(option));
    }

    private static String quoted(HelpText.Row row) {
        return "'" + row.text().replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
