package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import java.util.List;
import java.util.stream.Collectors;

/** Completions for elvish. */
final class Elvish {

    private Elvish() {}

    static String script(List<Page> pages) {
        return """
                # elvish completion for kwctl: eval (kwctl completions --shell elvish | slurp)
                set edit:completion:arg-completer[kwctl] = {|@words|
                    var offered = [
                %s    ]
                    var path = kwctl
                    for word $words[1..-1] {
                        if (has-key $offered $path' '$word) { set path = $path' '$word }
                    }
                    all $offered[$path]
                }
                """.formatted(pages.stream().map(Elvish::page).collect(Collectors.joining()));
    }

    private static String page(Page page) {
        return "        &'%s'=[%s]\n".formatted(page.path(), String.join(" ", Words.offered(page)));
    }
}
