package io.portcullis.api.yaml;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** A text is not valid YAML, or uses an unsupported feature. The message contains line and column. */
public final class YamlException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    YamlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns the line of the first error with a mark below the column; empty if the place is unknown. */
    public Optional<String> excerpt() {
        return getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null
                ? Optional.ofNullable(marked.getProblemMark().get_snippet(2, 75))
                : Optional.empty();
    }
}
