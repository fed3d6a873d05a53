package io.portcullis.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.requirement.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ShellCheck has no warning about any script, also for branches that no test runs. */
class ShellScriptsTest {

    @BeforeAll
    static void requireShellCheck() {
        assumeFalse(Requirement.fromEnvironment()
                .check(() -> ShellCommand.of("shellcheck", "--version").run())
                .isDisabled());
    }

    /** Scripts that others source are checked with the script that sources them, because they use its variables. */
    @Test
    void haveNoWarnings() {
        var scripts = scripts();

        var outcome = check(scripts);

        assertThat(scripts).hasSizeGreaterThan(15).anyMatch(script -> script.endsWith("testkit/tools/tools.sh"));
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
    }

    @Test
    void reportsAVariableThatIsNeverAssigned(@TempDir Path directory) throws IOException {
        var script = Files.writeString(directory.resolve("script.sh"), """
                #!/usr/bin/env bash
                created=yes
                echo "$created $made"
                """);

        assertThat(check(List.of(script.toString())).output()).contains("made is referenced but not assigned");
    }

    private static ShellCommand.Outcome check(List<String> scripts) {
        var words =
                new ArrayList<>(List.of("shellcheck", "--external-sources", "--check-sourced", "--severity=warning"));
        words.addAll(scripts);
        return ShellCommand.of(words).attempt();
    }

    /** The executable shell scripts that git tracks. */
    private static List<String> scripts() {
        var root = Checkout.current().root();
        return ShellCommand.of("git", "-C", root.toString(), "ls-files", "--stage")
                .run()
                .lines()
                .filter(line -> line.startsWith("100755"))
                .map(line -> root.resolve(line.substring(line.indexOf('\t') + 1)))
                .filter(ShellScriptsTest::isShellScript)
                .map(Path::toString)
                .toList();
    }

    private static boolean isShellScript(Path file) {
        try (var lines = Files.lines(file)) {
            return lines.findFirst()
                    .filter(line -> line.matches("#!.*\\b(ba)?sh$"))
                    .isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
