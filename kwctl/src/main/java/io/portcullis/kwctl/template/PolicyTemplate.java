package io.portcullis.kwctl.template;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The files of a new policy. */
public final class PolicyTemplate {

    private static final Pattern NAME = Pattern.compile("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");

    /** The resources of all languages, with the path of each in the new directory. */
    private static final Map<String, String> ALL_LANGUAGES = Map.of(
            "common/Makefile", "Makefile",
            "common/README.md.txt", "README.md",
            "common/gitignore", ".gitignore",
            "common/metadata.yml", "metadata.yml",
            "common/pod-with-owner.yaml", "tests/pod-with-owner.yaml",
            "common/pod-without-owner.yaml", "tests/pod-without-owner.yaml");

    private PolicyTemplate() {}

    /** Tells whether this is a name that crates, Kubernetes objects and repositories of a registry can have. */
    public static boolean isValidName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Returns the text of each file by its path. */
    public static Map<String, String> files(PolicyLanguage language, String name) {
        var values = values(language, name);
        var files = new TreeMap<String, String>();
        ALL_LANGUAGES.forEach((resource, path) -> files.put(path, filled(resource, values)));
        ofLanguage(language).forEach((resource, path) -> files.put(path, filled(resource, values)));
        return files;
    }

    private static Map<String, String> ofLanguage(PolicyLanguage language) {
        return switch (language) {
            case RUST ->
                Map.of(
                        "rust/Cargo.toml", "Cargo.toml",
                        "rust/lib.rs", "src/lib.rs",
                        "rust/settings.rs", "src/settings.rs",
                        "rust/policy-test.yaml", "tests/policy-test.yaml",
                        "rust/ci.yml", ".github/workflows/policy.yml");
            case GO ->
                Map.of(
                        "go/go.mod.txt", "go.mod",
                        "go/main.go.txt", "main.go",
                        "go/settings.go.txt", "settings.go",
                        "go/main_test.go.txt", "main_test.go",
                        "go/policy-test.yaml", "tests/policy-test.yaml",
                        "go/ci.yml", ".github/workflows/policy.yml");
            case REGO ->
                Map.of(
                        "rego/policy.rego", "policy.rego",
                        "rego/policy_test.rego", "policy_test.rego",
                        "rego/policy-test.yaml", "tests/policy-test.yaml",
                        "rego/ci.yml", ".github/workflows/policy.yml");
        };
    }

    private static Map<String, String> values(PolicyLanguage language, String name) {
        return switch (language) {
            case RUST ->
                values(
                        name,
                        "kubewarden-wapc",
                        "cargo test",
                        "Rust with the target `wasm32-wasip1`",
                        "src/*.rs Cargo.toml");
            case GO -> values(name, "wasi", "go test ./...", "Go 1.24 or newer", "*.go go.mod");
            case REGO -> values(name, "opa", "opa test policy.rego policy_test.rego", "`opa` and `tar`", "policy.rego");
        };
    }

    private static Map<String, String> values(
            String name, String mode, String unitTests, String toolchain, String sources) {
        return Map.of(
                "NAME", name,
                "MODE", mode,
                "UNIT_TESTS", unitTests,
                "TOOLCHAIN", toolchain,
                "SOURCES", sources);
    }

    private static String filled(String resource, Map<String, String> values) {
        var text = text(resource);
        for (var value : values.entrySet()) {
            text = text.replace("@" + value.getKey() + "@", value.getValue());
        }
        return text;
    }

    private static String text(String resource) {
        try (var stream = Objects.requireNonNull(PolicyTemplate.class.getResourceAsStream(resource), resource)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }
}
