package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import java.util.List;
import java.util.stream.Collectors;

/** Completions for PowerShell 5 and newer. */
final class PowerShell {

    private PowerShell() {}

    static String script(List<Page> pages) {
        return """
                # PowerShell completion for kwctl: kwctl completions --shell powershell | Out-String | Invoke-Expression
                Register-ArgumentCompleter -Native -CommandName kwctl -ScriptBlock {
                    param($wordToComplete, $commandAst, $cursorPosition)
                    $offered = @{
                %s    }
                    $path = 'kwctl'
                    foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
                        $next = "$path $element"
                        if ($offered.ContainsKey($next) -and "$element" -ne $wordToComplete) { $path = $next }
                    }
                    $offered[$path] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
                        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
                    }
                }
                """.formatted(pages.stream().map(PowerShell::page).collect(Collectors.joining()));
    }

    private static String page(Page page) {
        var words = Words.offered(page).stream().map(word -> "'" + word + "'").collect(Collectors.joining(", "));
        return "        '%s' = @(%s)\n".formatted(page.path(), words);
    }
}
