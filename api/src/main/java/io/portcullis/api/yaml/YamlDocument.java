package io.portcullis.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One document of a YAML text.
 *
 * @param line the one it begins on, counted from 1
 * @param places where values were written, by their keys joined by slashes
 */
public record YamlDocument(JsonNode root, int line, Map<String, String> places) {

    public YamlDocument {
        places = Map.copyOf(places);
    }
}
