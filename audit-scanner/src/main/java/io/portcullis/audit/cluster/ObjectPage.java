package io.portcullis.audit.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * One page of a list. Parses one object at a time, so that only one JSON tree is in memory.
 *
 * @param next the token of the next page; empty on the last page
 * @param remaining objects after this page, if the API server reports them; otherwise 0
 */
record ObjectPage(String next, long remaining) {

    private static final ObjectMapper MAPPER = new JsonMapper();
    private static final JsonFactory FACTORY = MAPPER.getFactory();

    /** @throws ApiException if the bytes are not a list */
    static ObjectPage read(byte[] bytes, Consumer<ObjectNode> objects) {
        try (var parser = FACTORY.createParser(bytes)) {
            return read(parser, objects);
        } catch (IOException e) {
            throw new ApiException(200, "the API server answered something that is no list: " + e.getMessage(), e);
        }
    }

    private static ObjectPage read(JsonParser parser, Consumer<ObjectNode> objects) throws IOException {
        var page = new ObjectPage("", 0);
        var hasItems = false;
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("it does not begin with an object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "metadata" -> page = metadata(MAPPER.readTree(parser));
                case "items" -> {
                    items(parser, objects);
                    hasItems = true;
                }
                default -> parser.skipChildren();
            }
        }
        // Fail instead of assuming an empty list: an empty list would delete the reports of existing objects.
        if (!hasItems || parser.currentToken() != JsonToken.END_OBJECT) {
            throw new IOException("it has no items");
        }
        return page;
    }

    private static ObjectPage metadata(JsonNode metadata) {
        return new ObjectPage(
                metadata.path("continue").asText(""),
                metadata.path("remainingItemCount").asLong(0));
    }

    private static void items(JsonParser parser, Consumer<ObjectNode> objects) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return; // null means an empty list
        }
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw new IOException("its items are not an array");
        }
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            if (MAPPER.readTree(parser) instanceof ObjectNode object) {
                objects.accept(object);
            }
        }
        if (parser.currentToken() != JsonToken.END_ARRAY) {
            throw new IOException("an item is not an object");
        }
    }
}
