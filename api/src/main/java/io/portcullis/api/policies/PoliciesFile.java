package io.portcullis.api.policies;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A parsed {@code policies.yml}: the valid entries, and the problem of each invalid entry. A starting server rejects a file
 * with problems. A running server applies the valid entries and keeps its previous version of the invalid ones.
 */
public record PoliciesFile(Map<String, PolicyEntry> entries, Map<String, String> problems) {

    public PoliciesFile {
        entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        problems = Collections.unmodifiableMap(new LinkedHashMap<>(problems));
    }

    /**
     * Reads YAML, or JSON when the text starts with a brace.
     *
     * @throws PoliciesFileException when the text as a whole cannot be parsed
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

    /**
     * Returns the entries of a file in which every entry must be valid.
     *
     * @throws PoliciesFileException when an entry is invalid
     */
    public static Map<String, PolicyEntry> parseStrictly(String text) {
        var file = parse(text);
        file.problems().values().stream().findFirst().ifPresent(problem -> {
            throw new PoliciesFileException(problem, null);
        });
        return file.entries();
    }
}
