package io.portcullis.testkit.tools;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cache of pinned tools. Only {@code testkit/tools/tools.sh} defines names and versions; this class calls that
 * script. Safe for use by several threads and processes: the script locks each tool during its build.
 */
public final class Tools {

    /** The limit for the longest build, kube-apiserver, on a slow and busy machine. */
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(45);

    private final Path script;

    public Tools(Checkout checkout) {
        this.script = checkout.toolsScript();
    }

    /** Returns the tools of the checkout that the tests run in. */
    public static Tools current() {
        return new Tools(Checkout.current());
    }

    /**
     * Returns the path of the executable {@code name}.
     *
     * @throws ToolException if it is not in the cache; the message contains the command to run
     */
    public Path path(String name) {
        var outcome = ShellCommand.of(script.toString(), "path", name).attempt();
        if (!outcome.succeeded()) {
            throw new ToolException(outcome.errors());
        }
        return Path.of(outcome.output());
    }

    /**
     * Builds missing tools and prints progress to standard error. Also accepts the groups of the script, such as {@code
     * level1}.
     *
     * @throws ToolException if a build fails, mostly because Go is not installed
     */
    public void ensure(List<String> names) {
        var words = new ArrayList<>(List.of(script.toString(), "build"));
        words.addAll(names);
        var outcome = ShellCommand.of(words).within(BUILD_LIMIT).attemptWithInheritedErrors();
        if (!outcome.succeeded()) {
            throw new ToolException("could not get the tools " + names + "; see the reason above, or run " + script
                    + " build " + String.join(" ", names));
        }
    }

    /** Returns the path of the executable {@code name}, and builds it first if it is missing. */
    public Path ensured(String name) {
        ensure(List.of(name));
        return path(name);
    }
}
