package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.kwctl.suite.TestSuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands {@code new} and {@code build} without a toolchain. {@code BuildPolicyIT} has the real ones. */
class NewCommandTest {

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlRunner(directory).with("PATH", directory.resolve("bin").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rust", "go", "rego"})
    void writesAPolicyWithItsName(String language) throws IOException {
        var result = kwctl.run("new", language, "my-policy");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("cd my-policy", "kwctl build", "kwctl test tests");
        assertThat(paths())
                .contains(
                        "Makefile",
                        "README.md",
                        ".gitignore",
                        ".github/workflows/policy.yml",
                        "tests/policy-test.yaml");
        for (var path : paths()) {
            assertThat(text(path)).as(path).isNotEmpty().doesNotContainPattern("@[A-Z_]+@");
        }
        assertThat(MetadataDocument.of(YamlDocuments.parse(text("metadata.yml")))
                        .metadata()
                        .annotations())
                .containsEntry("io.kubewarden.policy.title", "my-policy");
        var suite = directory.resolve("my-policy/tests/policy-test.yaml");
        assertThat(TestSuite.parse(suite, Files.readString(suite)).cases()).hasSizeGreaterThan(1);
    }

    @Test
    void writesToAnotherDirectory() {
        assertThat(kwctl.run("new", "go", "my-policy", "--directory", "deep/er").out())
                .contains("cd deep/er");

        assertThat(directory.resolve("deep/er/go.mod")).content().contains("module example.com/my-policy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"My-Policy", "1st", "a/b", "..", "policy-", "a_b", ""})
    void refusesANameThatACrateOrAnObjectCannotHave(String name) {
        var result = kwctl.run("new", "rust", name);

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("lower-case letters", "'" + name + "'");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void neverOverwritesFiles() throws IOException {
        Files.createDirectories(directory.resolve("mine"));
        Files.writeString(directory.resolve("mine/go.mod"), "module mine\n");

        var result = kwctl.run("new", "go", "mine");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("the directory mine is not empty", "--directory");
        assertThat(directory.resolve("mine/go.mod")).hasContent("module mine");
    }

    @Test
    void saysWhereItCannotWrite() throws IOException {
        Files.writeString(directory.resolve("file"), "");

        assertThat(kwctl.run("new", "go", "x", "--directory", "file/x").err())
                .contains("cannot write the policy to file/x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cobol", "ru"})
    void namesTheLanguagesItKnows(String language) {
        var result = kwctl.run("new", language, "x");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains(language);
    }

    @Test
    void buildSaysWhichProgramIsMissing() {
        kwctl.run("new", "rust", "rusty");
        kwctl.run("new", "go", "gopher");
        kwctl.run("new", "rego", "rules");

        assertThat(kwctl.run("build", "rusty").err()).contains("'cargo' is not on the PATH: install Rust with rustup");
        assertThat(kwctl.run("build", "gopher").err()).contains("'go' is not on the PATH: install Go 1.24 or newer");
        assertThat(kwctl.run("build", "rules").err())
                .contains("'opa' is not on the PATH: install the Open Policy Agent");
    }

    @Test
    void buildSaysThatTheRustTargetIsMissing() throws IOException {
        kwctl.run("new", "rust", "rusty");
        program("cargo", "exit 1");
        program("rustc", "echo /none");

        assertThat(kwctl.run("build", "rusty").err()).contains("rustup target add wasm32-wasip1");
    }

    @Test
    void buildShowsWhatTheCompilerSays() throws IOException {
        kwctl.run("new", "go", "gopher");
        program("go", "echo 'main.go:3:1: syntax error' >&2; exit 2");

        var result = kwctl.run("build", "gopher");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("main.go:3:1: syntax error", "go ended with exit code 2: go build");
    }

    @Test
    void buildRefusesADirectoryWithoutAPolicy() throws IOException {
        Files.createDirectories(directory.resolve("empty"));
        Files.createDirectories(directory.resolve("bare"));
        Files.writeString(directory.resolve("bare/go.mod"), "module bare\n");

        assertThat(kwctl.run("build", "none").err()).contains("there is no directory none");
        assertThat(kwctl.run("build", "empty").err()).contains("Cargo.toml, go.mod, policy.rego", "kwctl new");
        assertThat(kwctl.run("build", "bare").err()).contains("bare has no metadata.yml");
    }

    private List<String> paths() throws IOException {
        var root = directory.resolve("my-policy");
        try (var files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .toList();
        }
    }

    private String text(String path) throws IOException {
        return Files.readString(directory.resolve("my-policy").resolve(path));
    }

    private void program(String name, String script) throws IOException {
        var file = directory.resolve("bin").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
