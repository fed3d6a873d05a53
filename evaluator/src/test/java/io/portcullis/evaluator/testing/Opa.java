package io.portcullis.evaluator.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Finds the real {@code opa}: on PATH, or in the directory of {@code testkit/tools/tools.sh}. */
public final class Opa {

    private Opa() {}

    /** Returns the program. Skips the test if {@code opa} is missing, except on CI. */
    public static Path orSkip() throws IOException, InterruptedException {
        var opa = find();
        if (opa.isEmpty() && "true".equals(System.getenv("CI"))) {
            throw new AssertionError("opa is missing; testkit/tools provides it");
        }
        assumeTrue(opa.isPresent(), "SKIPPED: opa is missing, nothing is compared with it");
        return opa.orElseThrow();
    }

    private static Optional<Path> find() throws IOException, InterruptedException {
        var onPath = Arrays.stream(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, "opa"))
                .filter(Files::isExecutable)
                .findFirst();
        if (onPath.isPresent()) {
            return onPath;
        }
        var script = Path.of("..", "testkit", "tools", "tools.sh").toAbsolutePath();
        var process = new ProcessBuilder(script.toString(), "path", "opa")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return process.waitFor() == 0 ? Optional.of(Path.of(path)) : Optional.empty();
    }
}
