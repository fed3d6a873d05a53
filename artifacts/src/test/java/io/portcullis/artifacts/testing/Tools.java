package io.portcullis.artifacts.testing;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;

/** Finds real programs in the tools cache (see {@code testkit/tools/tools.sh}). */
public final class Tools {

    private Tools() {}

    /**
     * Returns the newest build of a tool. If there is none, the test fails in CI and is skipped with a message
     * elsewhere.
     */
    public static Path require(String name) {
        var found = find(name);
        if (found.isPresent()) {
            return found.get();
        }
        var message = name + " is not in " + cache() + "; run ./portcullis tools build " + name;
        if (System.getenv("CI") != null) {
            return fail(message);
        }
        System.err.println("SKIPPED: " + message);
        return abort(message);
    }

    private static Optional<Path> find(String name) {
        var home = cache().resolve(name);
        if (!Files.isDirectory(home)) {
            return Optional.empty();
        }
        try (var versions = Files.list(home)) {
            return versions.map(version -> version.resolve(name))
                    .filter(Files::isExecutable)
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Path cache() {
        var environment = System.getenv();
        var own = environment.get("PORTCULLIS_TOOLS");
        if (own != null) {
            return Path.of(own);
        }
        var xdg = environment.get("XDG_CACHE_HOME");
        var base = xdg == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
        return base.resolve("portcullis/tools");
    }
}
