package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * An object of a manifest.
 *
 * @param file the file as the user named it; {@code -} for standard input
 * @param line the first line of the object
 */
public record ScannedObject(String file, int line, ObjectNode object) {

    /** Returns the kind and name, for example {@code Pod shop/web}. */
    public String title() {
        var metadata = object.path("metadata");
        var name = metadata.path("name").asText(metadata.path("generateName").asText());
        var namespace = metadata.path("namespace").asText();
        return object.path("kind").asText() + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
    }

    public String place() {
        return file + ":" + line;
    }
}
