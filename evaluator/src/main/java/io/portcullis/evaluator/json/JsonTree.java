package io.portcullis.evaluator.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.json.JsonException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * Parses and writes JSON documents as trees, for the few callers that need a tree: settings at load time and mutations.
 */
public final class JsonTree {

    /** Orders keys by their UTF-8 bytes. This equals the order of code points, not that of Java chars. */
    public static final Comparator<String> KEY_ORDER = JsonTree::compareCodePoints;

    /**
     * The maximum length of a number. Longer numbers are rejected, because parsing time grows with the square of the
     * length. A 64-bit float needs at most 768 digits.
     */
    private static final int MAX_NUMBER_LENGTH = 1_000;

    /** Messages are shortened, because they may quote the document. */
    private static final int MAX_MESSAGE_LENGTH = 200;

    /**
     * Accepts names and texts of any length, because requests have a separate limit. Does not cache names, because a
     * table of names would outlive the request.
     */
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(JsonScanner.MAXIMUM_DEPTH)
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNumberLength(MAX_NUMBER_LENGTH)
                            .build())
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .nodeFactory(new FiniteNumbers())
            .build();

    /** An upper bound for the heap of a small object or a map entry. */
    private static final long BYTES_PER_NODE = 112;

    private JsonTree() {}

    /**
     * Rejects numbers that exceed the range of a float, because they would become infinite and change when written.
     */
    private static final class FiniteNumbers extends JsonNodeFactory {

        @Override
        public NumericNode numberNode(double value) {
            if (Double.isInfinite(value)) {
                throw new IllegalArgumentException("number out of range");
            }
            return super.numberNode(value);
        }
    }

    /**
     * Parses a document.
     *
     * @throws JsonException if it is not JSON, contains a duplicate key, or contains a number that is too long or
     *     too large
     */
    public static JsonNode parse(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (StreamConstraintsException e) {
            boolean number = e.getOriginalMessage().startsWith("Number");
            throw new JsonException(
                    Kind.SHAPE,
                    "",
                    number
                            ? "a number has more than " + MAX_NUMBER_LENGTH + " characters"
                            : "recursion limit exceeded");
        } catch (MismatchedInputException e) {
            throw new JsonException(Kind.SHAPE, "", firstLine(e.getOriginalMessage()));
        } catch (JsonProcessingException e) {
            throw new JsonException(Kind.SYNTAX, "", firstLine(e.getOriginalMessage()));
        } catch (IllegalArgumentException e) {
            throw new JsonException(Kind.SHAPE, "", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String firstLine(String message) {
        var line = message.lines().findFirst().orElse("");
        return line.length() > MAX_MESSAGE_LENGTH ? line.substring(0, MAX_MESSAGE_LENGTH) + "…" : line;
    }

    /** Returns an upper bound for the heap bytes of a tree of this document. */
    public static long heapBytes(byte[] json) {
        long nodes = 1;
        for (byte octet : json) {
            if (octet == ',' || octet == '{' || octet == '[' || octet == ':') {
                nodes++;
            }
        }
        return 2L * json.length + BYTES_PER_NODE * nodes;
    }

    /** Writes compact JSON with sorted keys, so that equal documents have equal bytes. */
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
                boolean anySurrogate = Character.isSurrogate(x) || Character.isSurrogate(y);
                return anySurrogate && Character.isSurrogate(x) != Character.isSurrogate(y)
                        ? (Character.isSurrogate(x) ? 1 : -1)
                        : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
