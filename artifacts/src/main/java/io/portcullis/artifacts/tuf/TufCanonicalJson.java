package io.portcullis.artifacts.tuf;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes JSON in the canonical form that TUF signs: sorted keys, no white space, only quote and backslash escaped in
 * strings.
 */
final class TufCanonicalJson {

    private TufCanonicalJson() {}

    static byte[] encode(JsonNode node) {
        var out = new StringBuilder();
        write(node, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(JsonNode node, StringBuilder out) {
        switch (node.getNodeType()) {
            case OBJECT -> {
                var sorted = new TreeMap<String, JsonNode>();
                node.properties().forEach(each -> sorted.put(each.getKey(), each.getValue()));
                var separator = "{";
                for (Map.Entry<String, JsonNode> each : sorted.entrySet()) {
                    out.append(separator);
                    quote(each.getKey(), out);
                    out.append(':');
                    write(each.getValue(), out);
                    separator = ",";
                }
                out.append(sorted.isEmpty() ? "{}" : "}");
            }
            case ARRAY -> {
                var separator = "[";
                for (var each : node) {
                    out.append(separator);
                    write(each, out);
                    separator = ",";
                }
                out.append(node.isEmpty() ? "[]" : "]");
            }
            case STRING -> quote(node.asText(), out);
            default -> out.append(node.asText());
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    }
}
