package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.OptionValue;
import java.util.List;
import java.util.stream.Collectors;

/** Completions for zsh, with the help texts as descriptions. */
final class Zsh {

    private Zsh() {}

    static String script(List<Page> pages) {
        var commands = Words.commandPaths(pages).stream()
                .map(path -> "\"" + path + "\"")
                .collect(Collectors.joining(" | "));
        return """
                #compdef kwctl
                # zsh completion for kwctl: kwctl completions --shell zsh > "${fpath[1]}/_kwctl"
                _kwctl() {
                    local command=kwctl word
                    local -i i depth=1
                    for (( i = 2; i < CURRENT; i++ )); do
                        case "$command $words[i]" in
                            %s) command="$command $words[i]"; depth=i ;;
                        esac
                    done
                    (( CURRENT -= depth - 1 ))
                    shift $(( depth - 1 )) words
                    case "$command" in
                %s    esac
                }
                if [ "$funcstack[1]" = _kwctl ]; then _kwctl "$@"; else compdef _kwctl kwctl; fi
                """.formatted(commands, pages.stream().map(Zsh::page).collect(Collectors.joining()));
    }

    private static String page(Page page) {
        var options = page.options().stream().map(Zsh::option).collect(Collectors.joining());
        if (page.children().isEmpty()) {
            return "        \"%s\")\n            _arguments -s \\\n%s                '*: :_files'\n            ;;\n"
                    .formatted(page.path(), options);
        }
        var children = page.children().stream().map(Zsh::child).collect(Collectors.joining(" "));
        return "        \"%s\")\n            _arguments -s \\\n%s                '*: :((%s))'\n            ;;\n"
                .formatted(page.path(), options, children);
    }

    private static String child(HelpText.Row row) {
        return row.term() + "\\:\"" + quoted(row.text()).replace("\"", "") + "\"";
    }

    private static String option(Option option) {
        var repeats =
                option.value() instanceof OptionValue.Many || option.value() instanceof OptionValue.Words ? "*" : "";
        var names = Words.names(option);
        var head = names.size() == 1
                ? "'" + repeats + names.getFirst()
                : "'" + (repeats.isEmpty() ? "(" + String.join(" ", names) + ")" : repeats) + "'{"
                        + String.join(",", names) + "}'";
        return "                " + head + "[" + quoted(option.help()) + "]" + value(option) + "' \\\n";
    }

    private static String value(Option option) {
        if (!option.takesValue()) {
            return "";
        }
        var possible = option.value().possible();
        var action =
                possible.isEmpty() ? (Words.isPath(option) ? "_files" : " ") : "(" + String.join(" ", possible) + ")";
        return ":" + option.longName() + ":" + action;
    }

    private static String quoted(String text) {
        return text.replace("'", "'\\''")
                .replace("[", "\\[")
                .replace("]", "\\]")
                .replace(":", "\\:");
    }
}
