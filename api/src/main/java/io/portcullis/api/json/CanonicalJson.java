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
 * Canonical text of a JSON value: sorted keys, no blanks, {@code 1.0} written as {@code 1} because the API server returns it
 * so. Equal values therefore have equal digests, independent of their source.
 */
public final class CanonicalJson {

    private CanonicalJson() {}

    public static String text(JsonNode value) {
        return canonical(value).toString();
    }

    /** Returns the digest of the canonical text as {@code sha256:<hex>}. */
    public static String digest(JsonNode value) {
        return "sha256:" + HexFormat.of().formatHex(sha256(text(value)));
    }

    /** Returns the SHA-256 of the UTF-8 bytes of a text. */
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
