package io.portcullis.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The source tree that the tests run in. Tests call the scripts in place, so that tests, developers and CI use the same
 * scripts.
 *
 * @param root the directory that holds the modules
 */
public record Checkout(Path root) {

    private static final Path TOOLS_SCRIPT = Path.of("testkit/tools/tools.sh");

    /** Returns the checkout that contains the working directory. Maven runs tests in the directory of a module. */
    public static Checkout current() {
        return around(Path.of(""));
    }

    static Checkout around(Path directory) {
        return Stream.iterate(directory.toAbsolutePath(), d -> d != null, Path::getParent)
                .filter(d -> Files.exists(d.resolve(TOOLS_SCRIPT)))
                .findFirst()
                .map(Checkout::new)
                .orElseThrow(() -> new IllegalStateException("no directory above " + directory.toAbsolutePath()
                        + " holds " + TOOLS_SCRIPT + "; run tests inside a checkout of Portcullis"));
    }

    /** Returns the script that builds and finds tools. */
    public Path toolsScript() {
        return root.resolve(TOOLS_SCRIPT);
    }

    /** Returns the script behind {@code ./portcullis cluster}. */
    public Path clusterScript() {
        return root.resolve("testkit/cluster/cluster.sh");
    }

    /** Returns the script that builds images of our programs. */
    public Path imageScript() {
        return root.resolve("testkit/images/image.sh");
    }

    /** Returns the path of one of our programs in the build output. */
    public Path program(String name) {
        return root.resolve("dist/bin").resolve(name);
    }
}
