package io.portcullis.kwctl.template;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The languages in which {@code kwctl} writes and builds policies. */
public enum PolicyLanguage {
    RUST("rust", "Cargo.toml"),
    GO("go", "go.mod"),
    REGO("rego", "policy.rego");

    private final String keyword;
    private final String projectFile;

    PolicyLanguage(String keyword, String projectFile) {
        this.keyword = keyword;
        this.projectFile = projectFile;
    }

    public String keyword() {
        return keyword;
    }

    /** Returns the language whose project file the directory has. */
    public static Optional<PolicyLanguage> of(Path directory) {
        return Arrays.stream(values())
                .filter(language -> Files.isRegularFile(directory.resolve(language.projectFile)))
                .findFirst();
    }

    /** Returns the names of the project files, for error messages. */
    public static String projectFiles() {
        return Arrays.stream(values()).map(language -> language.projectFile).collect(Collectors.joining(", "));
    }
}
