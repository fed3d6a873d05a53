package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import io.portcullis.process.args.Option;
import java.util.List;
import java.util.stream.Collectors;

/** Completions for bash 4 and newer. */
final class Bash {

    private Bash() {}

    static String script(List<Page> pages) {
        var commands = Words.commandPaths(pages).stream()
                .map(path -> "\"" + path + "\"")
                .collect(Collectors.joining(" | "));
        return """
                # bash completion for kwctl: source <(kwctl completions --shell bash)
                _kwctl() {
                    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path=kwctl word
                    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                        case "$path $word" in
                            %s) path="$path $word" ;;
                        esac
                    done
                    COMPREPLY=()
                    case "$path" in
                %s    esac
                }
                complete -o bashdefault -o default -F _kwctl kwctl
                """.formatted(commands, pages.stream().map(Bash::page).collect(Collectors.joining()));
    }

    private static String page(Page page) {
        var values = page.options().stream()
                .filter(Option::takesValue)
                .map(Bash::value)
                .collect(Collectors.joining());
        var words = String.join(" ", Words.offered(page));
        var plain = page.children().isEmpty() ? "[[ $cur != -* ]] || " : "";
        return """
                        "%s")
                            case "$prev" in
                %s            esac
                            %sCOMPREPLY=($(compgen -W "%s" -- "$cur"))
                            ;;
                """.formatted(page.path(), values, plain, words);
    }

    /** Completes an option's value. With an empty reply, bash falls back to file names. */
    private static String value(Option option) {
        var names = String.join(" | ", Words.names(option));
        var possible = option.value().possible();
        var reply = possible.isEmpty()
                ? ""
                : "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); ".formatted(String.join(" ", possible));
        return "                %s) %sreturn ;;\n".formatted(names, reply);
    }
}
