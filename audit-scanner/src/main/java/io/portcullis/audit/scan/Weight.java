package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Estimates the memory of an object under evaluation: its tree, and its review, which contains the text again. The
 * estimate is rather too high, because small nodes need many times their text size.
 */
final class Weight {

    private static final int NODE = 32;
    private static final int CONTAINER = 128;
    private static final int FIELD = 64;
    private static final int ELEMENT = 8;
    private static final int STRING = 64;

    /** Bytes per character: up to two in the tree, and one in the review. */
    private static final int CHARACTER = 3;

    private Weight() {}

    /** Returns the estimate in bytes. */
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
