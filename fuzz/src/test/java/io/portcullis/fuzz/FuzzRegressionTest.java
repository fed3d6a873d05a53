package io.portcullis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.fuzz.FuzzTargets.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays every input of the corpus. The input of each fixed finding is added to the corpus. */
class FuzzRegressionTest {

    private static final Path CORPUS = Path.of("src/test/resources/corpus");
    private static final Path SOURCES = Path.of("src/test/java");

    static Stream<Arguments> inputs() {
        return FuzzTargets.ALL.stream()
                .flatMap(target -> files(CORPUS.resolve(target.name()))
                        .map(file -> Arguments.of(target.name() + "/" + file.getFileName(), target, file)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inputs")
    void survivesTheCorpus(String name, Target target, Path file) throws Exception {
        target.body().run(Files.readAllBytes(file));
    }

    static Stream<Target> targets() {
        return FuzzTargets.ALL.stream();
    }

    /** Runs the simplest inputs of a fuzzer, so that targets without findings are tested too. */
    @ParameterizedTest
    @MethodSource("targets")
    void survivesTrivialInputs(Target target) throws Exception {
        target.body().run(new byte[0]);
        for (int value = 0; value < 256; value++) {
            target.body().run(new byte[] {(byte) value});
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void hasACorpus(Target target) {
        assertThat(files(CORPUS.resolve(target.name()))).isNotEmpty();
    }

    @Test
    void listsEveryTarget() {
        var listed = FuzzTargets.ALL.stream().map(target -> target.type().getSimpleName() + ".java");
        try (var sources = Files.walk(SOURCES)) {
            assertThat(sources.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("Fuzz.java")))
                    .containsExactlyInAnyOrderElementsOf(listed.toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Path> files(Path directory) {
        try (var files = Files.list(directory)) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new AssertionError("there is no corpus in " + directory, e);
        }
    }
}
