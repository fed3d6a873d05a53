package io.portcullis.api.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;

/**
 * One text for one JSON value: keys sorted, no blanks, {@code 1.0} written as {@code 1} because that is what comes back
 * from the API server. Equal values therefore have equal digests, wherever they were read.
 */
public final class CanonicalJson {

    private CanonicalJson() {}

    public static String text(JsonNode value) {
        return canonical(value).toString();
    }

    /** {@code sha256:<hex>} of the canonical text. */
    public static String digest(JsonNode value) {
        return "sha256:" + HexFormat.of().formatHex(sha256(text(value)));
    }

    /** SHA-256 of a text's UTF-8 bytes. */
    public static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    private static JsonNode canonical(JsonNode value) {
        return switch (value) {
            case ObjectNode object -> {
                var sorted = new TreeMap<String, JsonNode>();
                object.properties().forEach(entry -> sorted.put(entry.getKey(), canonical(entry.getValue())));
                yield new ObjectNode(JsonNodeFactory.instance, sorted);
            }
            case ArrayNode array -> {
                var copy = JsonNodeFactory.instance.arrayNode(array.size());
                array.forEach(element -> copy.add(canonical(element)));
                yield copy;
            }
            case JsonNode number when number.isNumber() -> canonicalNumber(number);
            default -> value;
        };
    }

    private static JsonNode canonicalNumber(JsonNode number) {
        if (number.isIntegralNumber()) {
            return BigIntegerNode.valueOf(number.bigIntegerValue());
        }
        var decimal = number.decimalValue().stripTrailingZeros();
        return decimal.scale() <= 0 && decimal.precision() - decimal.scale() < 19
                ? BigIntegerNode.valueOf(decimal.toBigIntegerExact())
                : DecimalNode.valueOf(decimal);
    }
}
