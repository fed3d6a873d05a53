package io.portcullis.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One document of a YAML text.
 *
 * @param line first line of the document, counted from 1
 * @param places line and column of each value, by its keys joined by slashes
 */
public record YamlDocument(JsonNode root, int line, Map<String, String> places) {

    public YamlDocument {
        places = Map.copyOf(places);
    }
}
