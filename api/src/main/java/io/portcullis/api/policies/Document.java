package io.portcullis.api.policies;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import java.util.Map;

/** A parsed YAML or JSON text. For YAML it includes the line and column of each key. */
record Document(JsonNode root, Map<String, String> places) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    static Document parse(String text) {
        return text.stripLeading().startsWith("{") ? parseJson(text) : parseYaml(text);
    }

    private static Document parseYaml(String text) {
        try {
            var documents = YamlDocuments.locateAll(text);
            if (documents.size() > 1) {
                throw new PoliciesFileException("not valid YAML: more than one document where one is expected", null);
            }
            return documents.isEmpty()
                    ? new Document(JsonNodeFactory.instance.nullNode(), Map.of())
                    : new Document(
                            documents.getFirst().root(), documents.getFirst().places());
        } catch (YamlException e) {
            throw new PoliciesFileException("not valid YAML: " + e.getMessage(), e);
        }
    }

    private static Document parseJson(String text) {
        try {
            return new Document(JSON.readTree(text), Map.of());
        } catch (JsonProcessingException e) {
            var location = e.getLocation();
            var place = location == null ? "" : place(location.getLineNr(), location.getColumnNr());
            throw new PoliciesFileException("not valid JSON: " + e.getOriginalMessage() + place, e);
        }
    }

    /** Returns the line and column of the value at {@code path}, which is keys joined by slashes; empty when unknown. */
    String placeOf(String path) {
        return places.getOrDefault(path, "");
    }

    private static String place(int line, int column) {
        return " (line " + line + ", column " + column + ")";
    }
}
