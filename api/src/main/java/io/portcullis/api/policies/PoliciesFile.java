package io.portcullis.api.policies;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A parsed {@code policies.yml}: what each entry says, and for entries that make no sense, why. A program that starts
 * refuses a file with problems; one that is running keeps what it had for the broken entries and takes the others.
 */
public record PoliciesFile(Map<String, PolicyEntry> entries, Map<String, String> problems) {

    public PoliciesFile {
        entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        problems = Collections.unmodifiableMap(new LinkedHashMap<>(problems));
    }

    /**
     * Reads YAML, or JSON when the text starts with a brace.
     *
     * @throws PoliciesFileException when the text as a whole cannot be understood
     */
    public static PoliciesFile parse(String text) {
        var document = Document.parse(text);
        var entries = new LinkedHashMap<String, PolicyEntry>();
        var problems = new LinkedHashMap<String, String>();
        if (document.root().isNull()) {
            return new PoliciesFile(entries, problems);
        }
        if (!document.root().isObject()) {
            throw new PoliciesFileException("expected a map of policy names to policies", null);
        }
        var reader = new EntryReader(document);
        document.root().properties().forEach(property -> {
            try {
                entries.put(property.getKey(), reader.read(property.getKey(), property.getValue()));
            } catch (PoliciesFileException e) {
                problems.put(property.getKey(), e.getMessage());
            }
        });
        return new PoliciesFile(entries, problems);
    }

    /** The entries of a file that must be right as a whole. */
    public static Map<String, PolicyEntry> parseStrictly(String text) {
        var file = parse(text);
        file.problems().values().stream().findFirst().ifPresent(problem -> {
            throw new PoliciesFileException(problem, null);
        });
        return file.entries();
    }
}
