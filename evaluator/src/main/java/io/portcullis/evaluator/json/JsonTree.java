package io.portcullis.evaluator.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;

/** Documents as trees, for the few places that need one: settings at load, mutations. */
public final class JsonTree {

    /** Keys in the order of their UTF-8 bytes, which is the order of code points and not that of Java's chars. */
    public static final Comparator<String> KEY_ORDER = JsonTree::compareCodePoints;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(JsonScanner.MAXIMUM_DEPTH)
                            .build())
                    .build())
            .build();

    private JsonTree() {}

    /** Parses a document that {@link JsonScanner} has already passed over. */
    public static JsonNode parse(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compact, with sorted keys: equal documents give equal bytes. */
    public static byte[] serialise(JsonNode document) {
        var bytes = new ByteArrayOutputStream(256);
        try (var generator = MAPPER.createGenerator(bytes)) {
            write(document, generator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Writes a value with sorted keys. */
    public static void write(JsonNode value, JsonGenerator generator) throws IOException {
        if (value instanceof ObjectNode object) {
            generator.writeStartObject();
            for (var key : sortedKeys(object)) {
                generator.writeFieldName(key);
                write(object.get(key), generator);
            }
            generator.writeEndObject();
        } else if (value.isArray()) {
            generator.writeStartArray();
            for (var item : value) {
                write(item, generator);
            }
            generator.writeEndArray();
        } else {
            generator.writeTree(value);
        }
    }

    public static List<String> sortedKeys(JsonNode object) {
        return StreamSupport.stream(((Iterable<String>) object::fieldNames).spliterator(), false)
                .sorted(KEY_ORDER)
                .toList();
    }

    private static int compareCodePoints(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean surrogates = Character.isSurrogate(x) || Character.isSurrogate(y);
                return surrogates && Character.isSurrogate(x) != Character.isSurrogate(y)
                        ? (Character.isSurrogate(x) ? 1 : -1)
                        : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
