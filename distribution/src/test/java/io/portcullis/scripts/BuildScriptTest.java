package io.portcullis.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./portcullis build} in a copy of the scripts, where Maven and the training are scripts that build nothing. */
class BuildScriptTest {

    private static final Path ROOT = Checkout.current().root();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    @BeforeEach
    void copyScripts() throws IOException {
        for (var file : new String[] {
            "portcullis",
            "distribution/launcher/find-jdk.sh",
            "distribution/launcher/jvm.options",
            "distribution/launcher/launch.sh",
            "distribution/launcher/programs",
            "wasm/wasmtime.lock",
            "pom.xml",
            "core/pom.xml"
        }) {
            Files.createDirectories(directory.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), directory.resolve(file));
        }
        Files.createDirectories(directory.resolve(".mvn"));
        Files.createDirectories(directory.resolve("core/src/main"));
        script("wasm/fetch-wasmtime.sh", "echo 'warning: pip is not installed' >&2");
        script("distribution/launcher/train.sh", "true");
        script("mvnw", "echo '[INFO] Building Portcullis: core 0.1.0   [3/16]'; touch dist/lib/core.jar");
    }

    @Test
    void showsEachStepAndTheWarnings() {
        var outcome = build();

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(outcome.errors())
                .contains(
                        "step 1 of 3: fetch the WebAssembly engine",
                        "warning: pip is not installed",
                        "step 2 of 3: compile",
                        "step 3 of 3: train the programs")
                .doesNotContain("\r");
        assertThat(directory.resolve("dist/bin/policy-server")).isExecutable();
    }

    @Test
    void saysWhichModuleIsCompiled() throws IOException {
        // The build waits until the test has seen the name, so it is shown while the build runs.
        script("mvnw", """
                echo '[INFO] Building Portcullis: core 0.1.0   [3/16]'
                for _ in $(seq 300); do grep -q ': core, 3 of 16' shown && exit; sleep 0.1; done
                exit 1
                """);

        // script runs the command in a terminal, and writes what the terminal shows to a file.
        var outcome = ShellCommand.of(
                        "bash",
                        "-c",
                        "cd '" + directory
                                + "' && script --quiet --flush --return --command './portcullis build' shown")
                .with("PORTCULLIS_BUILT", "")
                .attempt();

        assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    }

    @Test
    void aSecondBuildOfTheSameSourcesDoesNothing() {
        build();

        assertThat(build().errors()).isEmpty();
    }

    @Test
    void aFailedBuildShowsTheErrorsAndIsTriedAgain() throws IOException {
        script("mvnw", "echo '[ERROR] A.java:[1,2] cannot find symbol'; exit 1");

        var outcome = build();

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("cannot find symbol", "the build failed; all of it is in");
        assertThat(build().exitCode()).isEqualTo(1);
    }

    @Test
    void withoutTrainingTheProgramsOnlyStartSlower() throws IOException {
        script("distribution/launcher/train.sh", "exit 1");

        var outcome = build();

        assertThat(outcome.errors()).contains("no AOT cache was made");
        assertThat(outcome.exitCode()).isZero();
    }

    private ShellCommand.Outcome build() {
        return ShellCommand.of(directory.resolve("portcullis").toString(), "build")
                .with("PORTCULLIS_BUILT", "")
                .attempt();
    }

    private void script(String name, String text) throws IOException {
        var file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
