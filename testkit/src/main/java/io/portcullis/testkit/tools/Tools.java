package io.portcullis.testkit.tools;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cache of pinned tools. Names and versions are in {@code testkit/tools/tools.sh} and nowhere else; this class asks it.
 * Safe to use from several threads and processes at once: the script locks each tool while it is built.
 */
public final class Tools {

    /** The longest build, kube-apiserver, on a slow and busy machine. */
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(45);

    private final Path script;

    public Tools(Checkout checkout) {
        this.script = checkout.toolsScript();
    }

    /** The tools of the checkout that the tests run in. */
    public static Tools current() {
        return new Tools(Checkout.current());
    }

    /**
     * The executable called {@code name}.
     *
     * @throws ToolException if it is not in the cache; the message says what to run
     */
    public Path path(String name) {
        var outcome = ShellCommand.of(script.toString(), "path", name).attempt();
        if (!outcome.succeeded()) {
            throw new ToolException(outcome.errors());
        }
        return Path.of(outcome.output());
    }

    /**
     * Builds what is missing; tells its progress on standard error. Also takes the groups of the script, such as
     * {@code level1}.
     *
     * @throws ToolException if one cannot be built, above all because Go is not installed
     */
    public void ensure(List<String> names) {
        var words = new ArrayList<>(List.of(script.toString(), "ensure"));
        words.addAll(names);
        var outcome = ShellCommand.of(words).within(BUILD_LIMIT).attemptAloud();
        if (!outcome.succeeded()) {
            throw new ToolException("could not get the tools " + names + "; the reason stands above, or run " + script
                    + " ensure " + String.join(" ", names));
        }
    }

    /** The executable called {@code name}, built now if it is not there. */
    public Path ensured(String name) {
        ensure(List.of(name));
        return path(name);
    }
}
