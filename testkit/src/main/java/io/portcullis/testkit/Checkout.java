package io.portcullis.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The source tree that tests run in. Scripts are called where they lie, so that a test, a developer at a prompt and CI
 * use the very same ones.
 *
 * @param root the directory that holds the modules
 */
public record Checkout(Path root) {

    private static final Path LANDMARK = Path.of("testkit/tools/tools.sh");

    /** The checkout around the working directory; Maven runs tests in the directory of a module. */
    public static Checkout current() {
        return around(Path.of(""));
    }

    static Checkout around(Path directory) {
        return Stream.iterate(directory.toAbsolutePath(), d -> d != null, Path::getParent)
                .filter(d -> Files.exists(d.resolve(LANDMARK)))
                .findFirst()
                .map(Checkout::new)
                .orElseThrow(() -> new IllegalStateException("no directory above " + directory.toAbsolutePath()
                        + " holds " + LANDMARK + "; run tests inside a checkout of Portcullis"));
    }

    /** The script that builds and finds tools. */
    public Path toolsScript() {
        return root.resolve(LANDMARK);
    }

    /** The script behind {@code ./portcullis cluster}. */
    public Path clusterScript() {
        return root.resolve("testkit/cluster/cluster.sh");
    }

    /** The script that builds images of our programs. */
    public Path imageScript() {
        return root.resolve("testkit/images/image.sh");
    }

    /** A program of ours as the build leaves it. */
    public Path program(String name) {
        return root.resolve("dist/bin").resolve(name);
    }
}
