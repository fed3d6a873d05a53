package io.portcullis.evaluator.review;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.evaluator.json.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Computes the difference of two documents as a JSON Patch of {@code add}, {@code remove} and {@code replace}. The
 * output is byte for byte that of Kubewarden (crate json-patch). Members of the right side come first, in key order,
 * then removed members; lists are compared by index.
 */
public final class JsonPatch {

    /**
     * The maximum size of a patch. Every operation repeats the path to its value, so a patch can be much larger than
     * both documents. No API server stores an object of more than 3 MiB.
     */
    static final int MAX_BYTES = 8 << 20;

    private static final JsonFactory FACTORY = new JsonMapper().getFactory();

    private final JsonGenerator out;
    private final ByteArrayOutputStream bytes;

    /** The current path of the comparison. It is converted to a string only when an operation is written. */
    private final StringBuilder path = new StringBuilder();

    private int operations;

    private JsonPatch(JsonGenerator out, ByteArrayOutputStream bytes) {
        this.out = out;
        this.bytes = bytes;
    }

    /** Thrown when a patch would be larger than {@link #MAX_BYTES}. */
    static final class TooLargeException extends RuntimeException {
        TooLargeException() {
            super(
                    "the JSON Patch of the mutation is larger than the limit of " + MAX_BYTES
                            + " bytes, which cannot be changed",
                    null,
                    false,
                    false);
        }
    }

    /**
     * @return the patch as JSON; empty if the documents are equal. {@code 1} and {@code 1.0} differ
     * @throws TooLargeException if the patch would be too large
     */
    public static Optional<byte[]> between(JsonNode left, JsonNode right) {
        var bytes = new ByteArrayOutputStream(256);
        try (var generator = FACTORY.createGenerator(bytes)) {
            var patch = new JsonPatch(generator, bytes);
            generator.writeStartArray();
            patch.compare(left, right);
            generator.writeEndArray();
            if (patch.operations == 0) {
                return Optional.empty();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(bytes.toByteArray());
    }

    private void compare(JsonNode left, JsonNode right) throws IOException {
        if (left.isObject() && right.isObject()) {
            compareObjects(left, right);
        } else if (left.isArray() && right.isArray()) {
            compareLists(left, right);
        } else if (!left.equals(right)) {
            operation("replace", right);
        }
    }

    private void compareObjects(JsonNode left, JsonNode right) throws IOException {
        for (var key : JsonTree.sortedKeys(right)) {
            var old = left.get(key);
            int parent = enter(escape(key));
            if (old == null) {
                operation("add", right.get(key));
            } else {
                compare(old, right.get(key));
            }
            path.setLength(parent);
        }
        for (var key : JsonTree.sortedKeys(left)) {
            if (!right.has(key)) {
                remove(escape(key));
            }
        }
    }

    private void compareLists(JsonNode left, JsonNode right) throws IOException {
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            if (i >= right.size()) {
                remove(Integer.toString(right.size()));
                continue;
            }
            int parent = enter(Integer.toString(i));
            if (i >= left.size()) {
                operation("add", right.get(i));
            } else {
                compare(left.get(i), right.get(i));
            }
            path.setLength(parent);
        }
    }

    /** @return the previous length of the path */
    private int enter(String step) {
        int parent = path.length();
        path.append('/').append(step);
        return parent;
    }

    private void operation(String op, JsonNode value) throws IOException {
        begin(op);
        out.writeFieldName("value");
        JsonTree.write(value, out);
        out.writeEndObject();
    }

    private void remove(String step) throws IOException {
        int parent = enter(step);
        begin("remove");
        out.writeEndObject();
        path.setLength(parent);
    }

    private void begin(String op) throws IOException {
        operations++;
        if (bytes.size() + path.length() > MAX_BYTES) {
            throw new TooLargeException();
        }
        out.writeStartObject();
        out.writeStringField("op", op);
        out.writeStringField("path", path.toString());
    }

    /** Escapes a key according to RFC 6901. */
    private static String escape(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
