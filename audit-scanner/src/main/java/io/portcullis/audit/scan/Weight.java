package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What an object costs in memory while it is judged: its tree, and the question about it, which has its text once more. An
 * estimate that is rather too high: small parts cost many times what they take as text.
 */
final class Weight {

    private static final int NODE = 32;
    private static final int CONTAINER = 128;
    private static final int FIELD = 64;
    private static final int ELEMENT = 8;
    private static final int STRING = 64;

    /** In the tree, where a character may take two bytes, and in the question. */
    private static final int CHARACTER = 3;

    private Weight() {}

    /** In bytes. */
    static long of(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                var weight = (long) CONTAINER;
                for (var field : node.properties()) {
                    weight += FIELD + (long) CHARACTER * field.getKey().length() + of(field.getValue());
                }
                yield weight;
            }
            case ARRAY -> {
                var weight = (long) CONTAINER;
                for (var element : node) {
                    weight += ELEMENT + of(element);
                }
                yield weight;
            }
            case STRING -> STRING + (long) CHARACTER * node.textValue().length();
            case BINARY, BOOLEAN, MISSING, NULL, NUMBER, POJO -> NODE;
        };
    }
}
