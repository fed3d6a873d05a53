package io.portcullis.api.policies;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A parsed {@code policies.yml}: the valid entries, and the problem of each invalid entry. A starting server rejects a file
 * with problems. A running server applies the valid entries and keeps its previous version of the invalid ones.
 *
 * @param deprecations sentences about keys and forms of earlier releases that the file uses
 */
public record PoliciesFile(Map<String, PolicyEntry> entries, Map<String, String> problems, List<String> deprecations) {

    public PoliciesFile {
        deprecations = List.copyOf(deprecations);
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
        var deprecations = new ArrayList<String>();
        if (document.root().isNull()) {
            return new PoliciesFile(entries, problems, deprecations);
        }
        if (!document.root().isObject()) {
            throw new PoliciesFileException("expected a map of policy names to policies", null);
        }
        var reader = new EntryReader(document, deprecations::add);
        document.root().properties().forEach(property -> {
            try {
                entries.put(property.getKey(), reader.read(property.getKey(), property.getValue()));
            } catch (PoliciesFileException e) {
                problems.put(property.getKey(), e.getMessage());
            }
        });
        return new PoliciesFile(entries, problems, deprecations);
    }

    /**
     * Reads a file in which every entry must be valid.
     *
     * @throws PoliciesFileException when an entry is invalid
     */
    public static PoliciesFile parseStrictly(String text) {
        var file = parse(text);
        file.problems().values().stream().findFirst().ifPresent(problem -> {
            throw new PoliciesFileException(problem, null);
        });
        return file;
    }
}
