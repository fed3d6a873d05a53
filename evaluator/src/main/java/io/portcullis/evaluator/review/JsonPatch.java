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
 * The difference of two documents as a JSON Patch of {@code add}, {@code remove} and {@code replace}, byte for byte as
 * upstream (crate json-patch) makes it: members of the right side first, in key order, then what is gone; lists by index.
 */
public final class JsonPatch {

    private static final JsonFactory FACTORY = new JsonMapper().getFactory();

    private final JsonGenerator out;
    private int operations;

    private JsonPatch(JsonGenerator out) {
        this.out = out;
    }

    /** @return the patch as JSON; empty when nothing differs. {@code 1} and {@code 1.0} differ */
    public static Optional<byte[]> between(JsonNode left, JsonNode right) {
        var bytes = new ByteArrayOutputStream(256);
        try (var generator = FACTORY.createGenerator(bytes)) {
            var patch = new JsonPatch(generator);
            generator.writeStartArray();
            patch.compare("", left, right);
            generator.writeEndArray();
            if (patch.operations == 0) {
                return Optional.empty();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(bytes.toByteArray());
    }

    private void compare(String path, JsonNode left, JsonNode right) throws IOException {
        if (left.isObject() && right.isObject()) {
            compareObjects(path, left, right);
        } else if (left.isArray() && right.isArray()) {
            compareLists(path, left, right);
        } else if (!left.equals(right)) {
            operation("replace", path, right);
        }
    }

    private void compareObjects(String path, JsonNode left, JsonNode right) throws IOException {
        for (var key : JsonTree.sortedKeys(right)) {
            var old = left.get(key);
            if (old == null) {
                operation("add", path + "/" + escape(key), right.get(key));
            } else {
                compare(path + "/" + escape(key), old, right.get(key));
            }
        }
        for (var key : JsonTree.sortedKeys(left)) {
            if (!right.has(key)) {
                remove(path + "/" + escape(key));
            }
        }
    }

    private void compareLists(String path, JsonNode left, JsonNode right) throws IOException {
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            if (i >= right.size()) {
                remove(path + "/" + right.size());
            } else if (i >= left.size()) {
                operation("add", path + "/" + i, right.get(i));
            } else {
                compare(path + "/" + i, left.get(i), right.get(i));
            }
        }
    }

    private void operation(String op, String path, JsonNode value) throws IOException {
        begin(op, path);
        out.writeFieldName("value");
        JsonTree.write(value, out);
        out.writeEndObject();
    }

    private void remove(String path) throws IOException {
        begin("remove", path);
        out.writeEndObject();
    }

    private void begin(String op, String path) throws IOException {
        operations++;
        out.writeStartObject();
        out.writeStringField("op", op);
        out.writeStringField("path", path);
    }

    /** RFC 6901. */
    private static String escape(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
